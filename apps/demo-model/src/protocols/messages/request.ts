import { z } from 'zod';
import type { Conversation, Message, ToolCall } from '../../conversation.ts';
import { content, textOf } from '../content.ts';

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: content.optional(),
  cache_control: z.unknown().optional(),
});
type Block = z.infer<typeof block>;

const blocks = z.union([
  z.string().transform((text): Block[] => [{ type: 'text', text }]),
  z.array(block),
]);

const request = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.number().int().positive(),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']), content: blocks })).min(1),
  system: blocks.optional(),
  stream: z.boolean().optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
});

export function parseMessagesRequest(body: unknown): Conversation {
  const parsed = request.parse(body);
  const all = [...(parsed.system ?? []), ...parsed.messages.flatMap((item) => item.content)];
  return {
    protocol: 'messages',
    model: parsed.model,
    stream: parsed.stream === true,
    reportUsage: true,
    writesCache: all.some((item) => item.cache_control !== undefined),
    system: textOf(parsed.system),
    messages: parsed.messages.flatMap((item) =>
      item.role === 'user' ? fromUser(item.content) : [fromAssistant(item.content)],
    ),
    tools: (parsed.tools ?? []).map((tool) => ({
      name: tool.name,
      definition: JSON.stringify(tool),
    })),
  };
}

/** Splits a user message into results of calls and the user's text. */
function fromUser(items: Block[]): Message[] {
  const results = items.filter((item) => item.type === 'tool_result');
  const rest = items.filter((item) => item.type !== 'tool_result');
  const messages: Message[] = results.map((item) => ({
    role: 'tool',
    callId: item.tool_use_id ?? '',
    text: textOf(item.content),
  }));
  if (rest.length > 0) {
    messages.push({
      role: 'user',
      text: textOf(rest),
      attachments: rest.filter((item) => item.type !== 'text').length,
    });
  }
  return messages;
}

function fromAssistant(items: Block[]): Message {
  return {
    role: 'assistant',
    text: textOf(items.filter((item) => item.type === 'text')),
    reasoning: items.map((item) => item.thinking ?? '').join(''),
    calls: items
      .filter((item) => item.type === 'tool_use')
      .map((item): ToolCall => ({
        id: item.id ?? '',
        name: item.name ?? '',
        input: item.input ?? {},
      })),
  };
}
