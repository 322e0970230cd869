/** Simulates an agent: runs a script, and answers its calls with a tool function. */
import type { Conversation, Message } from '../src/conversation.ts';
import { selectReply } from '../src/script/select-reply.ts';
import type { CallPlan, Reply, Script } from '../src/script/script.ts';

export const TOOLS = ['bash', 'edit', 'glob', 'grep', 'read', 'todowrite', 'write'];

export function conversation(
  messages: Message[],
  changes: Partial<Conversation> = {},
): Conversation {
  return {
    protocol: 'chat',
    model: 'demo',
    stream: true,
    reportUsage: true,
    writesCache: false,
    system: '<env>\n  Working directory: /repo\n</env>',
    messages,
    tools: TOOLS.map((name) => ({ name, definition: `{"name":"${name}"}` })),
    ...changes,
  };
}

export function user(text: string): Message {
  return { role: 'user', text, attachments: 0 };
}

export interface PlayedTurn {
  replies: Reply[];
  calls: CallPlan[];
  finalText: string;
  messages: Message[];
}

/** Runs until an answer has no calls, or up to `maxSteps` replies. */
export function playTurn(
  script: Script,
  prompt: string,
  tool: (call: CallPlan) => string,
  changes: Partial<Conversation> = {},
  maxSteps = 40,
): PlayedTurn {
  const messages: Message[] = [user(prompt)];
  const replies: Reply[] = [];
  for (let step = 0; step < maxSteps; step++) {
    const { reply } = selectReply(script, conversation(messages, changes));
    replies.push(reply);
    const calls = (reply.calls ?? []).map((call, index) => ({ ...call, id: `${step}-${index}` }));
    messages.push({
      role: 'assistant',
      text: reply.say ?? '',
      reasoning: reply.think ?? '',
      calls: calls.map(({ id, tool: name, input }) => ({ id, name, input })),
    });
    if (calls.length === 0) break;
    for (const call of calls) messages.push({ role: 'tool', callId: call.id, text: tool(call) });
  }
  return {
    replies,
    calls: replies.flatMap((reply) => reply.calls ?? []),
    finalText: replies.at(-1)?.say ?? '',
    messages,
  };
}
