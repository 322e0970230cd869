import { fail } from '@ship/protocol';

export interface Sealed {
  keyId: string;
  /** Base64 of the nonce and the ciphertext with its tag. */
  sealed: string;
}

const NONCE_BYTES = 12;
const KEY_PATTERN = /^[0-9a-f]{64}$/i;

/**
 * AES-256-GCM with keys from outside the database, so that the database files alone reveal no secret. The first key encrypts;
 * the others only decrypt. To rotate, put a new key in front.
 */
export class Keyring {
  readonly #keys: Promise<Map<string, CryptoKey>>;

  /** Hex keys, separated by commas, newest first. */
  constructor(keys: string | null | undefined) {
    this.#keys = importKeys(keys ?? '');
    // Callers that need a key get the error; this prevents an unhandled rejection in an unused workspace.
    this.#keys.catch(() => undefined);
  }

  async newestKeyId(): Promise<string> {
    const [first] = (await this.#keys).keys();
    return first ?? notConfigured();
  }

  /** `context` binds the ciphertext to its purpose: copied to another row, it does not decrypt. */
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

  /** Undefined when the text was changed, belongs to another context, or its key is missing. */
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
  const hexKeys = text.split(',').map((hexKey) => hexKey.trim());
  if (!hexKeys.every((hexKey) => KEY_PATTERN.test(hexKey))) notConfigured();
  const keys = new Map<string, CryptoKey>();
  for (const hexKey of hexKeys) {
    const raw = Uint8Array.from(hexKey.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    keys.set(
      await fingerprint(raw),
      await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']),
    );
  }
  return keys;
}

/** The key id is derived from the key, so that the order of the list cannot confuse keys. */
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
    'There is no valid key for encrypting secrets.',
    'On one machine start Ship with `ship up`, which creates one. In the cloud run `wrangler secret put SECRETS_KEYS` with 64 random hex digits.',
  );
}
