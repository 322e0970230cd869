import fc from 'fast-check';
import { createLowlight } from 'lowlight';
import { describe, expect, it } from 'vitest';
import { grammars } from './grammars.ts';
import type { Language } from './language.ts';
import { marksOf } from './marks.ts';
import { type TokenLines, tokenLines } from './token-lines.ts';

const lowlight = createLowlight(grammars);
const read = (language: Language, text: string) =>
  tokenLines(text, marksOf(lowlight.highlight(language, text)));
const joined = (lines: TokenLines) =>
  lines.map((line) => line.map(({ text }) => text).join('')).join('\n');
const found = (lines: TokenLines) =>
  lines.map((line) =>
    line.filter(({ kind }) => kind !== null).map(({ text, kind }) => [kind, text]),
  );

const PIECES = [
  '\n', '\r\n', ' ', '/*', '*/', '//', '`', '${', '}', '"', "'", '<div', '</div>', '<script>', '#',
  '"""', '<?php', '---', '@@ -1 +1 @@', 'const', 'class A', '\\', '=', '1e3', '€', '\u{1F600}', '\u2028', '\t',
]; // oxfmt-ignore

describe('tokens by lines', () => {
  it('[WB17] add up to the text for any marks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b ', '\n', '\r', '€')).map((pieces) => pieces.join('')),
        fc.array(fc.integer({ min: 0, max: 40 })),
        (text, marks) => {
          const lines = tokenLines(text, marks);
          expect(joined(lines)).toBe(text);
          expect(lines).toHaveLength(text.split('\n').length);
        },
      ),
    );
  });

  it('[WB17] add up to the text in every language, valid or not', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(grammars) as Language[])),
        fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string()), { maxLength: 40 }),
        (language, pieces) => {
          const text = pieces.join('');
          expect(joined(read(language, text))).toBe(text);
        },
      ),
    );
  });

  it('[WB17] continue tokens from the lines above', () => {
    expect(found(read('typescript', 'a; /* one\nconst\n*/ const b = `x\n${1}`;'))).toEqual([
      [['comment', '/* one']],
      [['comment', 'const']],
      [
        ['comment', '*/'],
        ['keyword', 'const'],
        ['string', '`x'],
      ],
      [
        ['number', '1'],
        ['string', '`'],
      ],
    ]);
  });

  it.each([
    [
      'typescript',
      'export class A {}',
      [
        ['keyword', 'export'],
        ['keyword', 'class'],
        ['type', 'A'],
      ],
    ],
    [
      'json',
      '{"a": null}',
      [
        ['title', '"a"'],
        ['number', 'null'],
      ],
    ],
    [
      'python',
      'def f(): # x',
      [
        ['keyword', 'def'],
        ['title', 'f'],
        ['comment', '# x'],
      ],
    ],
  ] as const)('[WB17] %s: %s', (language, text, expected) =>
    expect(found(read(language, text))[0]).toEqual(expected),
  );
});
