import { describe, expect, it } from 'vitest';
import { bytesToRead, contentOf, imageType, maxImageBytes, maxTextBytes } from './content.ts';

const bytes = (...values: number[]) => new Blob([new Uint8Array(values)]);

describe('shown content of a file', () => {
  it('detects text by its content, not its name', async () => {
    expect(await contentOf('x.bin', 3, bytes(0x61, 0xc3, 0xa4))).toEqual({
      kind: 'text',
      text: 'aä',
      isWhole: true,
    });
    expect(await contentOf('x.txt', 2, bytes(0x61, 0))).toEqual({ kind: 'other' });
    expect(await contentOf('x.txt', 2, bytes(0xff, 0xfe))).toEqual({ kind: 'other' });
    expect(await contentOf('empty', 0, bytes())).toMatchObject({ kind: 'text', text: '' });
  });

  it('a long text is truncated between characters and marked', async () => {
    const long = new Blob(['a'.repeat(maxTextBytes - 1), 'ä', 'more']);
    const read = await contentOf('long.txt', long.size, long);
    expect(read).toMatchObject({ kind: 'text', isWhole: false });
    expect(read).toMatchObject({ text: 'a'.repeat(maxTextBytes - 1) });
  });

  it('an image has the type of its name, and is shown complete or not at all', async () => {
    expect(await contentOf('x.SVG', 3, new Blob(['<a>']))).toMatchObject({ kind: 'image' });
    expect(imageType('x.html')).toBeUndefined();
    expect(imageType('constructor')).toBeUndefined();
    expect(bytesToRead('x.png')).toBe(maxImageBytes);
    expect(await contentOf('x.png', maxImageBytes + 1, bytes(0))).toEqual({ kind: 'other' });
  });
});
