import { fail } from '@ship/protocol';

export interface Sealed {
  keyId: string;
  /** Base64 of the nonce and the ciphertext with its tag. */
  sealed: string;
}

const NONCE_BYTES = 12;
const KEY_PATTERN = /^[0-9a-f]{64}$/i;

/**
 * AES-256-GCM under keys from outside the database: who gets the files alone can read no secret. The first key seals;
 * the others still open what they sealed, so that a key is changed by putting a new one in front.
 */
export class Keyring {
  readonly #keys: Promise<Map<string, CryptoKey>>;

  /** Hex keys, separated by commas, newest first. */
  constructor(keys: string | null | undefined) {
    this.#keys = importKeys(keys ?? '');
    // ErrorPage to whoever needs a key; without this an unused workspace would report an unhandled rejection.
    this.#keys.catch(() => undefined);
  }

  async newestKeyId(): Promise<string> {
    const [first] = (await this.#keys).keys();
    return first ?? notConfigured();
  }

  /** `context` is what the value is for: sealed text that was copied to another row does not open there. */
  async seal(value: string, context: string): Promise<Sealed> {
    const keyId = await this.newestKeyId();
    const key = (await this.#keys).get(keyId) ?? notConfigured();
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const ciphertext = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv: nonce, additionalData: bytes(context) },
      key,
      bytes(value),
    );
    return { keyId, sealed: toBase64([...nonce, ...new Uint8Array(ciphertext)]) };
  }

  /** Undefined when the text was changed, belongs elsewhere, or was sealed with a key that is gone. */
  async open({ keyId, sealed }: Sealed, context: string): Promise<string | undefined> {
    const key = (await this.#keys).get(keyId);
    if (key === undefined) return undefined;
    try {
      const packed = Uint8Array.from(atob(sealed), (char) => char.charCodeAt(0));
      const value = await crypto.subtle.decrypt(
        { name: 'AES-GCM', iv: packed.slice(0, NONCE_BYTES), additionalData: bytes(context) },
        key,
        packed.slice(NONCE_BYTES),
      );
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
    } catch {
      return undefined;
    }
  }
}

async function importKeys(text: string): Promise<Map<string, CryptoKey>> {
  const parts = text.split(',').map((part) => part.trim());
  if (!parts.every((part) => KEY_PATTERN.test(part))) notConfigured();
  const keys = new Map<string, CryptoKey>();
  for (const part of parts) {
    const raw = Uint8Array.from(part.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    keys.set(
      await fingerprint(raw),
      await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']),
    );
  }
  return keys;
}

/** A key's name follows from the key: a list in another order cannot mistake one for another. */
async function fingerprint(raw: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', raw));
  return Array.from(digest.slice(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function toBase64(data: number[]): string {
  return btoa(data.map((byte) => String.fromCharCode(byte)).join(''));
}

function notConfigured(): never {
  return fail(
    'not-configured',
    'There is no valid key to encrypt secrets with.',
    'On one machine start Ship with `ship up`, which makes one. In the cloud run `wrangler secret put SECRETS_KEYS` with 64 random hex digits.',
  );
}
