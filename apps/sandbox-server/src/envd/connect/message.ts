/**
 * Reads fields of a protobuf message in its JSON form. Proto3 omits fields with default values and
 * allows both `snake_case` and `camelCase` names; numbers may be strings.
 */
import { RpcError } from './errors.ts';

export type Message = Record<string, unknown>;

export function asMessage(value: unknown, what = 'the message'): Message {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Message;
  throw new RpcError('invalid_argument', `${what} must be an object`);
}

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function field(message: Message, name: string): unknown {
  const value = message[name] ?? message[snake(name)];
  return value === null ? undefined : value;
}

const wrong = (name: string, type: string) =>
  new RpcError('invalid_argument', `${name} must be ${type}`);

export function optionalString(message: Message, name: string): string | undefined {
  const value = field(message, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw wrong(name, 'a string');
  if (value.includes('\0')) throw wrong(name, 'a string without NUL');
  return value;
}

export const string = (message: Message, name: string): string =>
  optionalString(message, name) ?? '';

export function boolean(message: Message, name: string, fallback = false): boolean {
  const value = field(message, name);
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') throw wrong(name, 'a boolean');
  return value;
}

export function optionalUint32(message: Message, name: string): number | undefined {
  const value = field(message, name);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (
    typeof number !== 'number' ||
    !Number.isInteger(number) ||
    number < 0 ||
    number > 0xffffffff
  ) {
    throw wrong(name, 'an unsigned 32-bit number');
  }
  return number;
}

export function optionalMessage(message: Message, name: string): Message | undefined {
  const value = field(message, name);
  return value === undefined ? undefined : asMessage(value, name);
}

export function strings(message: Message, name: string): string[] {
  const value = field(message, name) ?? [];
  if (!Array.isArray(value)) throw wrong(name, 'a list of strings');
  return value.map((item) => {
    if (typeof item !== 'string' || item.includes('\0'))
      throw wrong(name, 'a list of strings without NUL');
    return item;
  });
}

export function stringMap(message: Message, name: string): Record<string, string> {
  const value = asMessage(field(message, name) ?? {}, name);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isSafe =
        typeof item === 'string' && !item.includes('\0') && key !== '' && !/[=\0]/.test(key);
      if (!isSafe) throw wrong(name, 'a map of names to strings');
      return [key, item];
    }),
  );
}

/** Protobuf's bytes are base64 in JSON, with either alphabet and with or without padding. */
export function optionalBytes(message: Message, name: string): Buffer | undefined {
  const value = field(message, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value))
    throw wrong(name, 'base64');
  return Buffer.from(value, 'base64');
}
