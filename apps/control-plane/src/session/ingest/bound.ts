import { MAX_INLINE_BYTES } from '@ship/protocol';

const PREVIEW_CHARS = 8_000;
const encoder = new TextEncoder();

export function bytesIn(text: string): number {
  return encoder.encode(text).length;
}

/** Whether an event may carry the text itself. */
export function fitsInline(text: string): boolean {
  // Most texts are short: only a long one is worth encoding.
  return text.length <= MAX_INLINE_BYTES / 3 || bytesIn(text) <= MAX_INLINE_BYTES;
}

/** The beginning and the end of a long text: what was run and how it ended are mostly there. */
export function preview(text: string): string {
  if (fitsInline(text)) return text;
  const head = text.slice(0, PREVIEW_CHARS).toWellFormed();
  const tail = text.slice(-PREVIEW_CHARS).toWellFormed();
  return `${head}\n… ${text.length - 2 * PREVIEW_CHARS} characters left out …\n${tail}`;
}

/** Cut to so many characters, without half a character at the end. */
export function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1).toWellFormed()}…`;
}
