import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameSecret, sha256Hex, toBase64Url } from './bytes.ts';

describe('sameSecret', () => {
  it('[AU9] equal texts are the same and others are not, wherever they differ', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(sameSecret(a, a)).toBe(true);
        expect(sameSecret(a, b)).toBe(a === b);
        expect(sameSecret(a, `${a}x`)).toBe(false);
        expect(sameSecret(`${a}x`, a)).toBe(false);
        // Neither a repetition nor a prefix matches.
        expect(sameSecret(`${a}${a}`, a)).toBe(a === '');
        expect(sameSecret('', a)).toBe(a === '');
      }),
    );
  });

  it('matches known encodings', async () => {
    expect(await sha256Hex('abc')).toMatch(/^ba7816bf.*20015ad$/);
    expect(toBase64Url(new Uint8Array([251, 255, 254]))).toBe('-__-');
  });
});
