import { lexer } from 'marked';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growingLexer } from './growing-lexer.ts';

const PIECES = [
  'A paragraph with `code` and **words**.',
  '\n\n',
  '\n',
  '# Heading\n',
  '- one\n- two\n',
  '1. first\n',
  '```ts\nconst a = 1;\n```\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n',
  '> quoted\n',
  '---\n',
  '\ttabbed\r\n',
];
const shape = (tokens: readonly { type: string; raw: string }[]) =>
  tokens.map(({ type, raw }) => [type, raw]);

describe('growing Markdown', () => {
  it('[WB13] has the same blocks as the complete text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }), (pieces) => {
        const read = growingLexer();
        let text = '';
        for (const piece of pieces) {
          text += piece;
          read(text);
        }
        const plain = (tokens: ReturnType<typeof read>) =>
          tokens
            .filter(({ type }) => type !== 'space')
            .map(({ raw }) => raw)
            .join('')
            .replaceAll(/\s/g, '');
        expect(plain(read(text))).toBe(plain(lexer(text, { gfm: true })));
      }),
    );
    const steady = '# One\n\nText.\n\n- a\n- b\n\n```\ncode\n```\n\nMore.\n\nEnd.\n\nLast.';
    const read = growingLexer();
    for (let end = 1; end <= steady.length; end += 1) read(steady.slice(0, end));
    expect(shape(read(steady))).toEqual(shape(lexer(steady, { gfm: true })));
  });

  it('[WB13] lexes only the new part of a long text, and all of another text', () => {
    const read = growingLexer();
    const text = Array.from({ length: 50 }, (_, index) => `Paragraph ${index}.`).join('\n\n');
    const first = read(text);
    const second = read(`${text} More.`);
    // The same objects: they were not lexed again.
    expect(second[0]).toBe(first[0]);
    expect(second.at(-1)?.raw).toBe('Paragraph 49. More.');
    expect(read('Another.').map(({ raw }) => raw)).toEqual(['Another.']);
  });
});
