import { fail } from '@ship/protocol';
import type { JsonObject } from './protocol.ts';

/** Tolerant readers for provider responses: unexpected values read as absent. */
export function objectAt(value: unknown, key: string): JsonObject | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : undefined;
}

export function listAt(value: unknown, key: string): unknown[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}

/** A token count: rounded and not negative, or undefined. */
export function countAt(value: unknown, key: string): number | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'number' && Number.isFinite(found) && found >= 0
    ? Math.round(found)
    : undefined;
}

export function textAt(value: unknown, key: string): string {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : '';
}

/** Joins the texts of parts such as `{type, text}`. */
export function joinedTexts(parts: readonly unknown[]): string {
  return parts.map((part) => textAt(part, 'text')).join('');
}

const encoder = new TextEncoder();

/** The UTF-8 bytes of the texts under these keys. */
export function bytesAt(value: unknown, ...keys: string[]): number {
  return keys.reduce((sum, key) => sum + encoder.encode(textAt(value, key)).byteLength, 0);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function modelIn(body: JsonObject): string {
  const { model } = body;
  if (typeof model === 'string' && model !== '') return model;
  return fail('invalid-input', 'The request names no model.', 'Send the field "model".');
}

/**
 * Refuses fields that make the provider act on its own (search the web, call other servers, continue in the background), use
 * data that other sessions stored under the same key, or change the price: metering and egress rules would not see it.
 */
export function refuseFields(body: JsonObject, fields: readonly string[]): void {
  const found = fields.find((field) => body[field] !== undefined && body[field] !== null);
  if (found !== undefined) refuse(`"${found}"`);
}

export function refuseValue(body: JsonObject, field: string, values: readonly unknown[]): void {
  if (values.includes(body[field])) refuse(`"${field}": ${JSON.stringify(body[field])}`);
}

export function refuse(what: string): never {
  return fail(
    'invalid-input',
    `The model gateway does not allow ${what}.`,
    'Send text, pictures as data: URLs, and tools that run in the sandbox.',
  );
}
