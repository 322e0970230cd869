import { fail } from '@ship/protocol';
import { declaresAtMost } from '../../platform/body-length.ts';
import type { JsonObject } from '../protocols/protocol.ts';
import { parseObject } from './sse.ts';

/** Room for a full context with pictures; all sessions share the memory of one process. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
const MAX_SHORT_BYTES = 64 * 1024;

export async function readCall(request: Request): Promise<JsonObject> {
  const text = await readRequest(request);
  if (text === undefined)
    return fail(
      'too-large',
      `The request has more than ${MAX_REQUEST_BYTES} bytes.`,
      'Send fewer or smaller pictures, or compact the conversation.',
    );
  return (
    parseObject(text) ??
    fail(
      'invalid-input',
      'The request is not a JSON object.',
      'Send the JSON object that the protocol requires.',
    )
  );
}

async function readRequest(request: Request): Promise<string | undefined> {
  if (declaresAtMost(request, MAX_REQUEST_BYTES)) return request.text();
  return readText(request.body, MAX_REQUEST_BYTES);
}

/** Reads a short response such as an error; empty when it is too long. */
export async function readShort(response: Response): Promise<string> {
  return (await readText(response.body, MAX_SHORT_BYTES)) ?? '';
}

/** Counts while reading: a body without a length, or with a false one, must not fill the memory. */
async function readText(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<string | undefined> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
