import { describe, expect, it } from 'vitest';
import { hunkSides } from './hunk-sides.ts';

const line = (kind: string, text: string) => ({ kind, text });

describe('the sides of a hunk', () => {
  it('[WB17] each side is one text that maps every line', () => {
    const [opening, code, closing, added, note] = [
      line('removed', '/*'),
      line('same', 'code();'),
      line('removed', '*/'),
      line('added', 'more();'),
      line('note', 'No newline'),
    ] as const;
    const { before, now } = hunkSides([opening, code, closing, added, note]);
    expect(before.text).toBe('/*\ncode();\n*/');
    expect(now.text).toBe('code();\nmore();');
    expect([opening, code, closing, added, note].map((each) => before.places.get(each))).toEqual([
      0,
      1,
      2,
      undefined,
      undefined,
    ]);
    expect([code, added].map((each) => now.places.get(each))).toEqual([0, 1]);
  });

  it.each([
    [true, [' * of a comment', ' */', 'code();']],
    [true, ['   */', 'code();']],
    [true, [' * its end. */', 'code();']],
    [false, ['code();', ' */']],
    [false, ['/* whole */', 'code();']],
    [false, ['*pointer = 1;', 'code();']],
    [false, ["  '**/*.ts',", 'code();']],
    [false, ['* a list', '* of two']],
    [false, []],
  ])('[WB17] starts inside a comment, %s: %j', (isWithin, texts) => {
    const lines = texts.map((text) => line('same', text));
    const { text, places } = hunkSides(lines).now;
    expect(text.startsWith('/*\n')).toBe(isWithin);
    for (const each of lines) expect(text.split('\n')[places.get(each) ?? -1]).toBe(each.text);
  });

  it('[WB17] equal lines stay distinct', () => {
    const twice = [line('same', 'a'), line('added', 'a')];
    const { now } = hunkSides(twice);
    expect(twice.map((each) => now.places.get(each))).toEqual([0, 1]);
  });
});
