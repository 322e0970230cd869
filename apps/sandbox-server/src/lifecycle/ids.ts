import { randomBytes } from 'node:crypto';

/** Lower case and digits only: an id is part of a host name, and browsers lower-case host names. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // Bytes past the last whole multiple would bias towards the first letters.
      if (byte < 252 && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

export const newSandboxId = (): string => `i${randomText(19)}`;
export const newSnapshotId = (): string => `snap${randomText(16)}`;
export const newLayerId = (): string => `layer-${randomText(16)}`;
export const newToken = (): string => randomBytes(32).toString('hex');

/** Valid ids; anything else never reaches a path, a lookup, or a log line in full. */
export const SANDBOX_ID_PATTERN = /^[A-Za-z0-9]{1,64}$/;
