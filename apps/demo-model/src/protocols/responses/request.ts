import { z } from 'zod';
import {
  type AssistantMessage,
  type Conversation,
  type Message,
  parseArguments,
} from '../../conversation.ts';
import { attachmentsOf, content, textOf } from '../content.ts';

const messageItem = z.looseObject({
  type: z.literal('message').optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content,
});
const call = z.looseObject({
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const output = z.looseObject({
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: content,
});
const reasoning = z.looseObject({ type: z.literal('reasoning'), summary: content.optional() });
const other = z.looseObject({ type: z.string() });
const item = z.union([messageItem, call, output, reasoning, other]);

const request = z.looseObject({
  model: z.string().min(1),
  input: z.union([
    z.string().transform((text) => [{ role: 'user' as const, content: text }]),
    z.array(item).min(1),
  ]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).nullish(),
});

export function parseResponsesRequest(body: unknown): Conversation {
  const parsed = request.parse(body);
  const system: string[] = parsed.instructions ? [parsed.instructions] : [];
  const messages: Message[] = [];
  for (const entry of parsed.input) addItem(entry, system, messages);
  return {
    protocol: 'responses',
    model: parsed.model,
    stream: parsed.stream === true,
    reportUsage: true,
    writesCache: false,
    system: system.join('\n'),
    messages,
    tools: (parsed.tools ?? []).map((tool) => ({
      name: tool.name ?? tool.type,
      definition: JSON.stringify(tool),
    })),
  };
}

function addItem(entry: z.infer<typeof item>, system: string[], messages: Message[]): void {
  const asMessage = messageItem.safeParse(entry);
  if (asMessage.success) {
    const { role, content: text } = asMessage.data;
    if (role === 'user')
      messages.push({ role, text: textOf(text), attachments: attachmentsOf(text) });
    else if (role === 'assistant') openStep(messages).text += textOf(text);
    else system.push(textOf(text));
    return;
  }
  const asCall = call.safeParse(entry);
  if (asCall.success) {
    const { call_id: id, name } = asCall.data;
    openStep(messages).calls.push({ id, name, input: parseArguments(asCall.data.arguments) });
    return;
  }
  const asOutput = output.safeParse(entry);
  if (asOutput.success) {
    const { call_id: callId, output: text } = asOutput.data;
    messages.push({ role: 'tool', callId, text: textOf(text) });
    return;
  }
  const asReasoning = reasoning.safeParse(entry);
  if (asReasoning.success) openStep(messages).reasoning += textOf(asReasoning.data.summary);
}

/** A step of the model is several items: all items up to the next result or user message belong to it. */
function openStep(messages: Message[]): AssistantMessage {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return last;
  const step: AssistantMessage = { role: 'assistant', text: '', reasoning: '', calls: [] };
  messages.push(step);
  return step;
}
