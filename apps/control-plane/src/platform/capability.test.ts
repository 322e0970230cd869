import fc from 'fast-check';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { Capabilities } from './capability.ts';

const SECRET = 's'.repeat(64);
const kind = (name: string) => ({ name, claims: z.object({ session: z.string() }) });
const git = new Capabilities(SECRET, kind('git'));

describe('capabilities', () => {
  it('[CP1] a signed capability verifies until it expires', async () => {
    const text = await git.issue({ session: 'a' }, 1_000);
    expect(await git.verify(text, 999)).toEqual({ session: 'a' });
    expect(await git.verify(text, 1_000)).toBeUndefined();
  });

  it('[CP1] a cached capability verifies again, expires, and makes no forgery valid', async () => {
    const text = await git.issue({ session: 'a' }, 1_000);
    expect(await git.verify(text, 0)).toEqual({ session: 'a' });
    expect(await git.verify(text, 999)).toEqual({ session: 'a' });
    expect(await git.verify(`${text.slice(0, -3)}AAA`, 0)).toBeUndefined();
    expect(await git.verify(text, 1_000)).toBeUndefined();
    for (let i = 0; i < 600; i++)
      expect(await git.verify(await git.issue({ session: `${i}` }, 9), 0)).toEqual({
        session: `${i}`,
      });
    expect(await git.verify(text, 999)).toEqual({ session: 'a' });
  });

  it('[CP1] a capability for another purpose or of another installation is invalid', async () => {
    const text = await git.issue({ session: 'a' }, 1_000);
    expect(await new Capabilities(SECRET, kind('models')).verify(text, 0)).toBeUndefined();
    expect(await new Capabilities('t'.repeat(64), kind('git')).verify(text, 0)).toBeUndefined();
  });

  it('[CP2] a changed letter anywhere makes it invalid', async () => {
    const text = await git.issue({ session: 'a' }, 1_000);
    for (let i = 0; i < text.length; i++) {
      const changed = `${text.slice(0, i)}${text[i] === 'A' ? 'B' : 'A'}${text.slice(i + 1)}`;
      // The last letter of a signature has two unused bits.
      if (i < text.length - 1) expect(await git.verify(changed, 0)).toBeUndefined();
    }
  });

  it('[CP2] any text can be verified without an error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        expect(await git.verify(text, 0)).toBeUndefined();
        expect(await git.verify(`shipcap_${text}`, 0)).toBeUndefined();
      }),
    );
  });
});
