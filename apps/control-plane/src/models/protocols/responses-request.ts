/** Filters a request of OpenAI's responses API down to what may reach a provider. */
import * as z from 'zod';
import {
  anything,
  dataUrl,
  limit,
  mediaOf,
  partsIn,
  readRequest,
  scalar,
  scalars,
} from './inline.ts';
import type { JsonObject, Media } from './protocol.ts';

const inputText = z.object({ type: z.literal('input_text'), text: z.string() });
const inputImage = z.object({
  type: z.literal('input_image'),
  image_url: dataUrl,
  detail: scalar,
});
const inputFile = z.object({
  type: z.literal('input_file'),
  filename: scalar,
  file_data: dataUrl,
});
const outputText = z.object({ type: z.literal('output_text'), text: z.string() });
const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });

const input = z.discriminatedUnion('type', [inputText, inputImage, inputFile]);
const part = z.discriminatedUnion('type', [
  inputText,
  inputImage,
  inputFile,
  outputText,
  refusalPart,
]);
type Part = z.infer<typeof part>;

const spoken = {
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(part)]),
  id: scalar,
  status: scalar,
  phase: scalar,
};
const called = { id: scalar, call_id: scalar, status: scalar, name: scalar };
const output = z.union([z.string(), z.array(input)]);

const item = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), ...spoken }),
  z.object({ type: z.literal('function_call'), ...called, arguments: scalar }),
  z.object({ type: z.literal('function_call_output'), ...called, output }),
  z.object({ type: z.literal('custom_tool_call'), ...called, input: scalar }),
  z.object({ type: z.literal('custom_tool_call_output'), ...called, output }),
  z.object({
    type: z.literal('reasoning'),
    id: scalar,
    status: scalar,
    encrypted_content: scalar,
    summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })).nullish(),
    content: z.array(z.object({ type: z.literal('reasoning_text'), text: z.string() })).nullish(),
  }),
]);
/** The short form of a message. An id alone would refer to stored data, so content is required. */
const untyped = z.object({ type: z.undefined().optional(), ...spoken });

const schema = z.object({
  model: anything,
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(z.union([item, untyped]))]).optional(),
  tools: z
    .array(
      z.object({
        type: z.enum(['function', 'custom']),
        name: scalar,
        description: scalar,
        parameters: anything,
        strict: scalar,
        format: anything,
      }),
    )
    .nullish(),
  tool_choice: z
    .union([z.string(), z.object({ type: z.enum(['function', 'custom']), name: scalar })])
    .nullish(),
  reasoning: scalars,
  text: z.object({ format: anything, verbosity: scalar }).nullish(),
  include: z.array(z.string()).nullish(),
  max_output_tokens: limit,
  temperature: scalar,
  top_p: scalar,
  top_logprobs: scalar,
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_obfuscation: scalar }).nullish(),
  parallel_tool_calls: scalar,
  truncation: scalar,
  service_tier: scalar,
  prompt_cache_key: scalar,
});

/** Allowed values of `include`: none of them is output of a hosted tool. */
const ALLOWED_INCLUDES = ['reasoning.encrypted_content', 'message.output_text.logprobs'];

export function readResponsesRequest(rawBody: JsonObject): { body: JsonObject; media: Media } {
  const body = readRequest(schema, rawBody);
  const items = Array.isArray(body.input) ? body.input : [];
  const urls = items.flatMap(partsOf).flatMap((each) => {
    if (each.type === 'input_image') return [each.image_url];
    return each.type === 'input_file' ? [each.file_data] : [];
  });
  const include = body.include?.filter((each) => ALLOWED_INCLUDES.includes(each));
  return {
    // Any session with the same key could read stored responses.
    body: { ...body, ...(include !== undefined && { include }), store: false },
    media: mediaOf(urls),
  };
}

function partsOf(each: z.infer<typeof item> | z.infer<typeof untyped>): readonly Part[] {
  if (each.type === undefined || each.type === 'message') return partsIn(each.content);
  const hasOutput = each.type === 'function_call_output' || each.type === 'custom_tool_call_output';
  return hasOutput ? partsIn(each.output) : [];
}
