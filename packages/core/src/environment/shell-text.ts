import type { ValuePart } from './source.ts';

/** Quotes one word of any content for a shell. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A word whose variables the shell in the sandbox expands. */
export function shellWord(parts: readonly ValuePart[]): string {
  if (parts.length === 0) return "''";
  return parts.map((part) => (typeof part === 'string' ? shellQuote(part) : quoted(part))).join('');
}

/** A shell line in which variables stay unquoted, as the file's author wrote them. */
export function shellLine(parts: readonly ValuePart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : reference(part))).join('');
}

const quoted = (part: Exclude<ValuePart, string>): string => `"${reference(part)}"`;

function reference({ variable, fallback }: Exclude<ValuePart, string>): string {
  // The fallback is in double quotes: these four characters would end them or be expanded.
  return `\${${variable}-${fallback.replaceAll(/[\\"$`]/g, String.raw`\$&`)}}`;
}
