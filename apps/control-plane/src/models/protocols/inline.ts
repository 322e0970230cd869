/** What a request may carry: text and inline data. An address, an id or an unknown kind of part is a way out. */
import * as z from 'zod';
import type { JsonObject, Media } from './protocol.ts';
import { isObject, refuse } from './read.ts';

export const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]).optional();
/** What the model or the client reads and no server acts on: schemas of tools, their input, signatures. */
export const anything = z.unknown().optional();
/** What bounds an answer: a number in quotes is read by some servers and not by us. */
export const limit = z.number().nullish();
export const scalars = z.record(z.string(), scalar).nullish();
export const texts = z.union([z.string(), z.array(z.string())]).nullish();

/** Base64 only: a provider that reads a "data" URL in any other way has nothing to read. */
export const dataUrl = z
  .string()
  .regex(/^data:[\w.+-]{1,60}\/[\w.+-]{1,60}(;[\w.=+-]{1,100}){0,3};base64,[\w+/=-]*$/);

/** A longer time to live has another price than metering knows. */
export const cacheControl = z
  .object({ type: z.literal('ephemeral'), ttl: z.literal('5m').optional() })
  .nullish();

/** Of content in parts; content as one string has only text. */
export const partsIn = <Part>(content: string | readonly Part[] | null | undefined) =>
  typeof content === 'object' && content !== null ? content : [];

export const mediaIn = (pictures: readonly string[], documents: number): Media => ({
  pictures: pictures.length,
  pictureBytes: pictures.reduce((sum, { length }) => sum + length, 0),
  documents,
});

export const mediaOf = (urls: readonly string[]): Media => {
  const pictures = urls.filter((url) => url.startsWith('data:image/'));
  return mediaIn(pictures, urls.length - pictures.length);
};

/**
 * The request with what the schema knows, and nothing else of it. Unknown fields are dropped, so that a client that sends
 * one more still works; unknown kinds of content and of tools are refused, as leaving them out would change the question.
 */
export function readRequest<Schema extends z.ZodType>(
  schema: Schema,
  body: JsonObject,
): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path ?? [];
  const names = path.filter((step) => typeof step === 'string').join('.') || 'the request';
  return refuse(`${kindAt(body, path)} in "${names}"`);
}

/** The type that something has there, to say what was refused. */
function kindAt(body: unknown, path: readonly PropertyKey[]): string {
  let found = body;
  let type: unknown;
  for (const step of path) {
    if (isObject(found) && typeof found['type'] === 'string') type = found['type'];
    found = isObject(found) || Array.isArray(found) ? Reflect.get(found, step) : undefined;
  }
  if (isObject(found) && typeof found['type'] === 'string') type = found['type'];
  return typeof type === 'string' ? `"${type.slice(0, 60)}" as it is` : 'what it has';
}
