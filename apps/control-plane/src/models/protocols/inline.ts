/** Schemas for requests that may carry only text and inline data: a URL, an id or an unknown part type could exfiltrate data. */
import * as z from 'zod';
import type { JsonObject, Media } from './protocol.ts';
import { isObject, refuse } from './read.ts';

export const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]).optional();
/** Values that only the model or the client reads and no server acts on: tool schemas, tool input, signatures. */
export const anything = z.unknown().optional();
/** Answer limits: some servers read a quoted number as a limit, but metering does not, so it is refused. */
export const limit = z.number().nullish();
export const scalars = z.record(z.string(), scalar).nullish();
export const texts = z.union([z.string(), z.array(z.string())]).nullish();

/** Base64 only, so that no provider can interpret a "data" URL in another way. */
export const dataUrl = z
  .string()
  .regex(/^data:[\w.+-]{1,60}\/[\w.+-]{1,60}(;[\w.=+-]{1,100}){0,3};base64,[\w+/=-]*$/);

/** A longer time to live has a different price than metering assumes. */
export const cacheControl = z
  .object({ type: z.literal('ephemeral'), ttl: z.literal('5m').optional() })
  .nullish();

/** The parts of the content; a plain string has none. */
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
 * Keeps only what the schema knows. Unknown fields are dropped, so that newer clients still work; unknown types of content
 * and tools are refused, because dropping them would change the question.
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

/** The `type` at this path, for the error message. */
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
