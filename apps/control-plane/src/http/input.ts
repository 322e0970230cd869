import { fail } from '@ship/protocol';
import type * as z from 'zod';
import { declaresAtMost } from '../platform/body-length.ts';

/** The largest body is a task of 100,000 characters of up to four bytes each. */
const MAX_BODY_BYTES = 512 * 1024;
const MAX_REPORTED_ISSUES = 5;

/** Names invalid fields but never their values, which may be secrets. */
export function parse<Value>(
  schema: z.ZodType<Value> | undefined,
  input: unknown,
  where: 'path' | 'query' | 'body',
): Value | undefined {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .slice(0, MAX_REPORTED_ISSUES)
    .map(({ path, message }) => `${path.map(String).join('.') || where}: ${message}`);
  return fail(
    'invalid-input',
    `The ${where} is invalid. ${issues.join('; ')}`,
    'Fix these fields and send it again; /api/openapi.json has the full contract.',
  );
}

/** JSON only: a cross-site form can send text, but needs a CORS preflight for this type. */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    fail(
      'unsupported-media-type',
      'The body must be JSON.',
      'Send it with the header content-type: application/json.',
    );
  }
  const text = await readText(request);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return fail('invalid-input', 'The body is not valid JSON.', 'Fix it and send it again.');
  }
}

async function readText(request: Request): Promise<string> {
  if (declaresAtMost(request, MAX_BODY_BYTES)) return request.text();
  return new TextDecoder().decode(await readBytes(request, MAX_BODY_BYTES));
}

/** Counts while reading: a body without a length, or with a false one, must not fill the memory. */
export async function readBytes(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      fail(
        'too-large',
        `The body has more than ${maxBytes} bytes.`,
        'Send less at once; put large files into the repository.',
      );
    }
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
