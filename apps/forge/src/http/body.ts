import * as z from 'zod';
import { limits } from '../limits.ts';
import type { ForgeContext } from './context.ts';
import { ApiError, badRequest, type FieldError, invalid } from './errors.ts';

/** Reads and validates a JSON body, with limits on size and time against slow or endless bodies. */
export async function readJson<Schema extends z.ZodType>(
  c: ForgeContext,
  resource: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = await readText(c);
  let value: unknown;
  try {
    value = text === '' ? {} : JSON.parse(text);
  } catch {
    throw badRequest('Problems parsing JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('Body should be a JSON object');
  const result = schema.safeParse(value);
  if (!result.success) throw invalid(...fieldErrors(resource, value, result.error));
  return result.data;
}

function fieldErrors(resource: string, value: object, error: z.ZodError): FieldError[] {
  return error.issues.map((issue) => {
    const field = issue.path.join('.') || 'body';
    const missing = issue.path.length === 1 && !(String(issue.path[0]) in value);
    if (missing) return { resource, field, code: 'missing_field' };
    return { resource, field, code: 'invalid', message: `${field} ${issue.message}` };
  });
}

function tooLarge(): ApiError {
  return new ApiError(413, `The body is larger than ${limits.jsonBodyBytes} bytes.`);
}

async function readText(c: ForgeContext): Promise<string> {
  const body = c.req.raw.body;
  if (body === null) return '';
  if (Number(c.req.header('content-length') ?? 0) > limits.jsonBodyBytes) throw tooLarge();
  const reader = body.getReader();
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), limits.jsonBodyMs);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > limits.jsonBodyBytes) {
        void reader.cancel().catch(() => undefined);
        throw tooLarge();
      }
      chunks.push(value);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Text that users write. */
export const title = z.string().trim().min(1).max(limits.titleCharacters);
export const bodyText = z.string().max(limits.bodyCharacters);
