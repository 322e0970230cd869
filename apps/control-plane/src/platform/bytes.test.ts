import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameSecret, sha256Hex, toBase64Url } from './bytes.ts';

describe('secrets are compared by hashes of one length', () => {
  it('[AU9] equal texts are the same and others are not, wherever they differ', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (a, b) => {
        expect(await sameSecret(a, a)).toBe(true);
        expect(await sameSecret(a, b)).toBe(a === b);
        expect(await sameSecret(a, `${a}x`)).toBe(false);
      }),
    );
  });

  it('encodes as others do', async () => {
    expect(await sha256Hex('abc')).toMatch(/^ba7816bf.*20015ad$/);
    expect(toBase64Url(new Uint8Array([251, 255, 254]))).toBe('-__-');
  });
});
