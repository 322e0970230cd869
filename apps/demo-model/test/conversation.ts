/** An agent without an agent: keeps a conversation with a script, and answers its calls from given tools. */
import type { Conversation, Message } from '../src/conversation.ts';
import { direct } from '../src/script/direct.ts';
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

export interface Played {
  replies: Reply[];
  calls: CallPlan[];
  lastWords: string;
  messages: Message[];
}

/** Plays until an answer has no calls; a script that never ends is stopped and shows by its number of replies. */
export function playTurn(
  script: Script,
  prompt: string,
  tool: (call: CallPlan) => string,
  changes: Partial<Conversation> = {},
  maxSteps = 40,
): Played {
  const messages: Message[] = [user(prompt)];
  const replies: Reply[] = [];
  for (let step = 0; step < maxSteps; step++) {
    const { reply } = direct(script, conversation(messages, changes));
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
    lastWords: replies.at(-1)?.say ?? '',
    messages,
  };
}
