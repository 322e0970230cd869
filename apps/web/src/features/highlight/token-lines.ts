import { type Kind, kinds } from './kinds.ts';

export interface Token {
  readonly text: string;
  readonly kind: Kind | null;
}
export type TokenLines = readonly (readonly Token[])[];

/** Splits a text into lines of tokens. The tokens add up to the text for any marks. */
export function tokenLines(text: string, marks: ArrayLike<number>): TokenLines {
  const lines: Token[][] = [[]];
  let at = 0;
  const take = (end: number, kind: Kind | null): void => {
    while (at < end) {
      const lineEnd = text.indexOf('\n', at);
      const isWhole = lineEnd !== -1 && lineEnd < end;
      const stop = isWhole ? lineEnd : end;
      if (stop > at) lines.at(-1)?.push({ text: text.slice(at, stop), kind });
      if (isWhole) lines.push([]);
      at = isWhole ? stop + 1 : stop;
    }
  };
  for (let index = 0; index + 2 < marks.length; index += 3) {
    const [start = 0, end = 0, kind = -1] = [marks[index], marks[index + 1], marks[index + 2]];
    take(Math.min(start, text.length), null);
    take(Math.min(end, text.length), kinds[kind] ?? null);
  }
  take(text.length, null);
  return lines;
}
