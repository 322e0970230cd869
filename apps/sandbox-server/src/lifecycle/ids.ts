import { randomBytes, randomUUID } from 'node:crypto';

/** Lower case and digits only: an id is a part of a host name, and host names lose their case in browsers. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // Bytes past the last whole multiple would make the first letters likelier.
      if (byte < 252 && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

export const newSandboxId = (): string => `i${randomText(19)}`;
export const newSnapshotId = (): string => `snap${randomText(16)}`;
export const newLayerId = (): string => `layer-${randomText(16)}`;
export const newTemplateId = (): string => `tpl${randomText(16)}`;
export const newBuildId = (): string => randomUUID();
export const newToken = (): string => randomBytes(32).toString('hex');

/** What may be an id at all; anything else never reaches a path, a lookup or a log line in full. */
export const SANDBOX_ID_PATTERN = /^[A-Za-z0-9]{1,64}$/;
