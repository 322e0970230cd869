/** Filters a chat-completions request down to what may reach a provider. */
import * as z from 'zod';
import {
  anything,
  cacheControl,
  dataUrl,
  limit,
  mediaOf,
  partsIn,
  readRequest,
  scalar,
  scalars,
  texts,
} from './inline.ts';
import type { JsonObject, Media } from './protocol.ts';

const textPart = z.object({
  type: z.literal('text'),
  text: z.string(),
  cache_control: cacheControl,
});
const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });
const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: dataUrl, detail: scalar }),
  cache_control: cacheControl,
});
const filePart = z.object({
  type: z.literal('file'),
  file: z.object({ filename: scalar, file_data: dataUrl }),
});

const content = z
  .union([
    z.string(),
    z.array(z.discriminatedUnion('type', [textPart, refusalPart, imagePart, filePart])),
  ])
  .nullish();

const named = z.object({ name: scalar, arguments: scalar, input: scalar }).nullish();
const toolCall = z.object({
  id: scalar,
  index: scalar,
  type: z.enum(['function', 'custom']).optional(),
  function: named,
  custom: named,
  // Reasoning signatures, which the provider requires back.
  extra_content: anything,
});

const message = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content,
  name: scalar,
  tool_call_id: scalar,
  tool_calls: z.array(toolCall).nullish(),
  refusal: scalar,
  cache_control: cacheControl,
  reasoning: scalar,
  reasoning_content: scalar,
  reasoning_text: scalar,
  reasoning_opaque: scalar,
  reasoning_details: anything,
});

const schema = z.object({
  model: anything,
  messages: z.array(message).optional(),
  tools: z
    .array(
      z.object({
        type: z.enum(['function', 'custom']),
        function: anything,
        custom: anything,
        cache_control: cacheControl,
      }),
    )
    .nullish(),
  tool_choice: z
    .union([
      z.string(),
      z.object({ type: z.enum(['function', 'custom']), function: scalars, custom: scalars }),
    ])
    .nullish(),
  response_format: z
    .object({
      type: z.enum(['text', 'json_object', 'json_schema']),
      json_schema: anything,
    })
    .nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_obfuscation: scalar }).nullish(),
  max_tokens: limit,
  max_completion_tokens: limit,
  n: limit,
  stop: texts,
  logit_bias: scalars,
  reasoning: scalars,
  thinking: scalars,
  chat_template_args: scalars,
  chat_template_kwargs: scalars,
  ...Object.fromEntries(
    [
      'temperature',
      'top_p',
      'top_k',
      'min_p',
      'frequency_penalty',
      'presence_penalty',
      'repetition_penalty',
      'seed',
      'logprobs',
      'top_logprobs',
      'parallel_tool_calls',
      'reasoning_effort',
      'include_reasoning',
      'enable_thinking',
      'verbosity',
      'service_tier',
      'prompt_cache_key',
    ].map((name) => [name, scalar]),
  ),
});

export function readChatRequest(input: JsonObject): { body: JsonObject; media: Media } {
  const body = readRequest(schema, input);
  const parts = (body.messages ?? []).flatMap((each) => partsIn(each.content));
  const urls = parts.flatMap((part) => {
    if (part.type === 'image_url') return [part.image_url.url];
    return part.type === 'file' ? [part.file.file_data] : [];
  });
  return { body, media: mediaOf(urls) };
}
