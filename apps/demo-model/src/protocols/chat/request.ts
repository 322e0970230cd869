import { z } from 'zod';
import { type Conversation, type Message, parseArguments } from '../../conversation.ts';
import { attachmentsOf, content, textOf } from '../content.ts';

const toolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content }),
  z.looseObject({ role: z.literal('developer'), content }),
  z.looseObject({ role: z.literal('user'), content }),
  z.looseObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string(), content }),
]);

const request = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).nullish(),
});

export function parseChatRequest(body: unknown): Conversation {
  const parsed = request.parse(body);
  const system: string[] = [];
  const messages: Message[] = [];
  for (const item of parsed.messages) {
    if (item.role === 'system' || item.role === 'developer') system.push(textOf(item.content));
    else messages.push(toMessage(item));
  }
  return {
    protocol: 'chat',
    model: parsed.model,
    stream: parsed.stream === true,
    reportUsage: parsed.stream !== true || parsed.stream_options?.include_usage === true,
    writesCache: false,
    system: system.join('\n'),
    messages,
    tools: (parsed.tools ?? []).map((tool) => ({
      name: tool.function.name,
      definition: JSON.stringify(tool),
    })),
  };
}

function toMessage(
  item: Exclude<z.infer<typeof message>, { role: 'system' } | { role: 'developer' }>,
): Message {
  switch (item.role) {
    case 'user':
      return {
        role: 'user',
        text: textOf(item.content),
        attachments: attachmentsOf(item.content),
      };
    case 'assistant':
      return {
        role: 'assistant',
        text: textOf(item.content),
        reasoning: item.reasoning_content ?? '',
        calls: (item.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.function.name,
          input: parseArguments(call.function.arguments),
        })),
      };
    case 'tool':
      return { role: 'tool', callId: item.tool_call_id, text: textOf(item.content) };
  }
}
