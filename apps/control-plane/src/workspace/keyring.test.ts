import { ShipFailure } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Keyring } from './keyring.ts';

const OLD = 'a1'.repeat(32);
const NEW = 'b2'.repeat(32);

describe('keyring', () => {
  it('[SC1] decrypts what it encrypted, and never produces the same ciphertext twice', async () => {
    const keyring = new Keyring(OLD);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (value) => {
        const [one, two] = [await keyring.seal(value, 'c'), await keyring.seal(value, 'c')];
        expect(one.sealed).not.toBe(two.sealed);
        expect(await keyring.open(one, 'c')).toBe(value);
      }),
      { numRuns: 100 },
    );
  });

  it('[SC2] a changed byte, another context or another key does not decrypt', async () => {
    const keyring = new Keyring(OLD);
    const box = await keyring.seal('hunter2', 'scope\nNAME');
    const packed = Uint8Array.from(atob(box.sealed), (char) => char.charCodeAt(0));
    for (let i = 0; i < packed.length; i++) {
      const tampered = packed.map((byte, at) => (at === i ? byte ^ 1 : byte));
      const sealed = btoa(String.fromCharCode(...tampered));
      expect(await keyring.open({ ...box, sealed }, 'scope\nNAME')).toBeUndefined();
    }
    expect(await keyring.open(box, 'scope\nOTHER')).toBeUndefined();
    expect(await new Keyring(NEW).open(box, 'scope\nNAME')).toBeUndefined();
    for (const sealed of ['', 'AAAA', '!!!', '💥'])
      expect(await keyring.open({ ...box, sealed }, 'scope\nNAME')).toBeUndefined();
  });

  it('[SC3] a key is rotated by putting a new one in front', async () => {
    const before = await new Keyring(OLD).seal('hunter2', 'c');
    const both = new Keyring(`${NEW},${OLD}`);
    expect(await both.open(before, 'c')).toBe('hunter2');
    const after = await both.seal('hunter2', 'c');
    expect(after.keyId).not.toBe(before.keyId);
    expect(await new Keyring(NEW).open(after, 'c')).toBe('hunter2');
  });

  it.each([undefined, null, '', 'short', `${OLD},`, `${OLD},nonsense`, 'g'.repeat(64)])(
    '[SC5] %j is not a key: secrets are refused, with a remedy that does not repeat it',
    async (keys) => {
      const thrown: unknown = await new Keyring(keys)
        .seal('v', 'c')
        .catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ShipFailure);
      if (!(thrown instanceof ShipFailure)) return;
      expect(thrown.error.code).toBe('not-configured');
      if (keys) expect(JSON.stringify(thrown.error)).not.toContain(keys);
    },
  );
});
