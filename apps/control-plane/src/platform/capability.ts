import * as z from 'zod';
import { fromBase64Url, toBase64Url } from './bytes.ts';

/**
 * A capability is a short-lived signed token that a sandbox gets instead of a key. It contains no secret: a leaked one
 * opens the gateway of one session until it expires, and nothing else.
 */
const PREFIX = 'shipcap';

export interface CapabilityKind<Claims extends z.ZodType> {
  /** Part of the signed text: a capability for git is invalid for models. */
  name: string;
  claims: Claims;
}

const Envelope = z.object({ expiresAt: z.int(), claims: z.unknown() });

/** Caches verified capabilities, because a sandbox sends the same one with each call. The bound limits memory. */
const MAX_VERIFIED = 512;

interface Verified<Claims> {
  expiresAt: number;
  claims: Readonly<Claims>;
}

export class Capabilities<Claims extends z.ZodType> {
  readonly #kind: CapabilityKind<Claims>;
  readonly #key: ReturnType<typeof importKey>;
  readonly #verified = new Map<string, Verified<z.infer<Claims>>>();

  constructor(secret: string, kind: CapabilityKind<Claims>) {
    this.#kind = kind;
    this.#key = importKey(secret);
  }

  async issue(claims: z.infer<Claims>, expiresAt: number): Promise<string> {
    const body = toBase64Url(new TextEncoder().encode(JSON.stringify({ expiresAt, claims })));
    const signature = await crypto.subtle.sign('HMAC', await this.#key, this.#signed(body));
    return `${PREFIX}_${body}.${toBase64Url(new Uint8Array(signature))}`;
  }

  /** Undefined for a text that is not signed for this purpose or has expired; the reason is not disclosed. */
  async verify(text: string, nowMs: number): Promise<Readonly<z.infer<Claims>> | undefined> {
    const verified = this.#verified.get(text) ?? (await this.#read(text));
    if (verified === undefined) return undefined;
    if (verified.expiresAt > nowMs) return verified.claims;
    this.#verified.delete(text);
    return undefined;
  }

  /** Caches only texts with a valid signature. */
  async #read(text: string): Promise<Verified<z.infer<Claims>> | undefined> {
    const match = /^shipcap_([A-Za-z0-9_-]{1,4000})\.([A-Za-z0-9_-]{43})$/.exec(text);
    const [, body, signature] = match ?? [];
    if (body === undefined || signature === undefined) return undefined;
    const bytes = fromBase64Url(signature);
    // `verify` compares in constant time.
    if (!(await crypto.subtle.verify('HMAC', await this.#key, bytes, this.#signed(body))))
      return undefined;
    const json: unknown = JSON.parse(new TextDecoder().decode(fromBase64Url(body)));
    const { expiresAt, claims } = Envelope.parse(json);
    const parsed = this.#kind.claims.safeParse(claims);
    if (!parsed.success) return undefined;
    const verified = { expiresAt, claims: parsed.data };
    const [oldest] = this.#verified.keys();
    if (this.#verified.size >= MAX_VERIFIED && oldest !== undefined) this.#verified.delete(oldest);
    this.#verified.set(text, verified);
    return verified;
  }

  #signed(body: string): Uint8Array<ArrayBuffer> {
    return new Uint8Array(new TextEncoder().encode(`${PREFIX}:${this.#kind.name}:${body}`));
  }
}

function importKey(secret: string) {
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
}
