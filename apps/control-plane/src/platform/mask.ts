import { StreamRedactor, redactExact } from './redact.ts';

/** Anything shorter is a word that occurs by chance: masking it would spoil what people read. */
const SHORTEST_VALUE = 6;
/** Of a value of several lines, such as a key, a program may print some only; short ones are brackets and the like. */
const SHORTEST_LINE = 12;

/** Keeps values that only a sandbox may know out of all that is stored and shown. */
export interface Mask {
  readonly isEmpty: boolean;
  text(text: string): string;
  /** For a text that is not whole yet: its end is left out while it could be the beginning of a value. */
  unfinished(text: string): string;
  /** For a text that comes in pieces. */
  stream(): { push(piece: string): string };
  /** For JSON as text, in which a value is written with escapes. */
  json(text: string): string;
  /** All texts of a plain value, however deep. Names of fields are left alone. */
  all<Value>(value: Value): Value;
}

export function maskFor(secrets: readonly string[]): Mask {
  const values = valuesOf(secrets);
  const escaped = valuesOf(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]));
  const stream = () => new StreamRedactor(values, SHORTEST_VALUE);
  const text = (given: string) => redactExact(given, values, SHORTEST_VALUE);
  return {
    isEmpty: values.length === 0,
    text,
    unfinished: (given) => stream().push(given),
    stream,
    json: (given) => redactExact(given, escaped, SHORTEST_VALUE),
    all: (value) => mapTexts(value, text),
  };
}

/** The longest first: one that begins like another must not leave its own end behind. */
function valuesOf(secrets: readonly string[]): string[] {
  const lines = secrets.flatMap((secret) =>
    secret
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line.length >= SHORTEST_LINE),
  );
  return [...new Set([...secrets, ...secrets.map((secret) => secret.trim()), ...lines])]
    .filter((value) => value.length >= SHORTEST_VALUE)
    .toSorted((a, b) => b.length - a.length);
}

function mapTexts<Value>(value: Value, map: (text: string) => string): Value;
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}
