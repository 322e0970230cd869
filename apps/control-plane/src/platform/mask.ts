import { StreamRedactor, redactExact } from './redact.ts';

/** Shorter values occur as ordinary words: masking them would garble the text. */
const MIN_VALUE_LENGTH = 6;
/** A program may print single lines of a multi-line value such as a key; shorter lines are brackets and the like. */
const MIN_LINE_LENGTH = 12;

/** Redacts values that only a sandbox may know from everything that is stored or shown. */
export interface Mask {
  readonly isEmpty: boolean;
  text(text: string): string;
  /** For incomplete text: cuts the end off while it could be the beginning of a value. */
  unfinished(text: string): string;
  /** For chunked text. */
  stream(): { push(piece: string): string };
  /** For JSON text, in which values are escaped. */
  json(text: string): string;
  /** All strings of a plain value at any depth, except field names. */
  all<Value>(value: Value): Value;
}

export function maskFor(secrets: readonly string[]): Mask {
  const values = valuesOf(secrets);
  const escaped = valuesOf(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]));
  const stream = () => new StreamRedactor(values, MIN_VALUE_LENGTH);
  const text = (input: string) => redactExact(input, values, MIN_VALUE_LENGTH);
  return {
    isEmpty: values.length === 0,
    text,
    unfinished: (input) => stream().push(input),
    stream,
    json: (input) => redactExact(input, escaped, MIN_VALUE_LENGTH),
    all: (value) => mapTexts(value, text),
  };
}

/** Longest first: otherwise masking a shorter value leaves the end of a longer one with the same start. */
function valuesOf(secrets: readonly string[]): string[] {
  const lines = secrets.flatMap((secret) =>
    secret
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line.length >= MIN_LINE_LENGTH),
  );
  return [...new Set([...secrets, ...secrets.map((secret) => secret.trim()), ...lines])]
    .filter((value) => value.length >= MIN_VALUE_LENGTH)
    .toSorted((a, b) => b.length - a.length);
}

function mapTexts<Value>(value: Value, map: (text: string) => string): Value;
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}
