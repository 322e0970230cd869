/** Filters an Anthropic messages request down to what may reach a provider. */
import * as z from 'zod';
import {
  anything,
  cacheControl,
  limit,
  mediaIn,
  partsIn,
  readRequest,
  scalar,
  scalars,
  texts,
} from './inline.ts';
import type { JsonObject, Media } from './protocol.ts';

const text = z.object({
  type: z.literal('text'),
  text: z.string(),
  cache_control: cacheControl,
});
const base64 = z.object({
  type: z.literal('base64'),
  media_type: z.string().max(100),
  data: z.string().regex(/^[\w+/=-]*$/),
});
const image = z.object({
  type: z.literal('image'),
  source: base64,
  cache_control: cacheControl,
});
const document = z.object({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    base64,
    z.object({ type: z.literal('text'), media_type: z.string().max(100), data: z.string() }),
  ]),
  title: scalar,
  context: scalar,
  citations: scalars,
  cache_control: cacheControl,
});
const toolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: scalar,
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [text, image, document]))])
    .nullish(),
  is_error: scalar,
  cache_control: cacheControl,
});
const toolUse = z.object({
  type: z.literal('tool_use'),
  id: scalar,
  name: scalar,
  input: anything,
  cache_control: cacheControl,
});
const thinking = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: scalar,
});
const redactedThinking = z.object({ type: z.literal('redacted_thinking'), data: z.string() });

const block = z.discriminatedUnion('type', [
  text,
  image,
  document,
  toolResult,
  toolUse,
  thinking,
  redactedThinking,
]);

type Block = z.infer<typeof block>;

const schema = z.object({
  model: anything,
  system: z.union([z.string(), z.array(text)]).nullish(),
  messages: z
    .array(
      z.object({
        role: z.enum(['user', 'assistant', 'system']),
        content: z.union([z.string(), z.array(block)]),
      }),
    )
    .optional(),
  tools: z
    .array(
      z.object({
        // Other types bring the provider's own instructions, or run at the provider.
        type: z.literal('custom').nullish(),
        name: z.string().max(200).optional(),
        description: scalar,
        input_schema: anything,
        strict: scalar,
        eager_input_streaming: scalar,
        cache_control: cacheControl,
      }),
    )
    .nullish(),
  tool_choice: scalars,
  thinking: scalars,
  output_config: z.object({ effort: scalar, format: anything }).nullish(),
  output_format: anything,
  stop_sequences: texts,
  cache_control: cacheControl,
  max_tokens: limit,
  temperature: scalar,
  top_k: scalar,
  top_p: scalar,
  stream: z.boolean().nullish(),
  service_tier: scalar,
});

export function readMessagesRequest(input: JsonObject): { body: JsonObject; media: Media } {
  const body = readRequest(schema, input);
  const blocks = (body.messages ?? [])
    .flatMap(({ content }) => partsIn(content))
    .flatMap((each): readonly Block[] =>
      each.type === 'tool_result' ? partsIn(each.content) : [each],
    );
  const pictures = blocks.flatMap((each) => (each.type === 'image' ? [each.source.data] : []));
  // Plain-text documents count as text.
  const documents = blocks.filter(
    (each) => each.type === 'document' && each.source.type === 'base64',
  );
  return { body, media: mediaIn(pictures, documents.length) };
}
