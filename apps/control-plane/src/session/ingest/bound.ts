import { MAX_TEXT_ARTIFACT_BYTES } from '@ship/core';
import { MAX_INLINE_BYTES, type Question } from '@ship/protocol';

const PREVIEW_CHARS = 8_000;
const encoder = new TextEncoder();

export function bytesIn(text: string): number {
  return encoder.encode(text).length;
}

/** Whether an event may carry the text itself. */
export function fitsInline(text: string): boolean {
  // Most texts are short: only a long one is encoded.
  return text.length <= MAX_INLINE_BYTES / 3 || bytesIn(text) <= MAX_INLINE_BYTES;
}

/** The start and the end of a long text: they usually show what was run and how it ended. */
export function preview(text: string): string {
  if (fitsInline(text)) return text;
  const head = text.slice(0, PREVIEW_CHARS).toWellFormed();
  const tail = text.slice(-PREVIEW_CHARS).toWellFormed();
  return `${head}\n… ${text.length - 2 * PREVIEW_CHARS} characters left out …\n${tail}`;
}

/** Truncates to this many characters, without half a character at the end. */
export function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1).toWellFormed()}…`;
}

/** Bounds a streaming text to what would be stored. */
export function boundText(text: string): string {
  return text.length > MAX_TEXT_ARTIFACT_BYTES ? text.slice(0, MAX_TEXT_ARTIFACT_BYTES) : text;
}

export function boundQuestion({ question, header, options, ...rest }: Question): Question {
  return {
    ...rest,
    question: cut(question, 2000),
    header: cut(header, 200),
    options: options.slice(0, 20).map(({ label, description }) => ({
      label: cut(label, 200),
      description: cut(description, 1000),
    })),
  };
}
