const MASK = '[redacted]';
/** Local servers accept any word as a key; masking that word would garble what the model says. */
const MIN_SECRET_LENGTH = 12;

/** Patterns of keys: providers echo keys or parts of them in errors ("Incorrect API key provided: sk-…"). */
const KEY_LIKE = [
  /\b(sk|pk|rk|or|gsk|xai|key|api|tok|ghp|gho|ghs|pat|AKIA|AIza)[-_][A-Za-z0-9*._-]{6,}/g,
  /\bAIza[A-Za-z0-9_-]{10,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=*-]{6,}/gi,
  /\bshipcap_[A-Za-z0-9._-]+/g,
];

/** For errors: redacts the secrets and everything that looks like a key. */
export function redactError(text: string, secrets: readonly string[]): string {
  return KEY_LIKE.reduce(
    (clean, pattern) => clean.replaceAll(pattern, MASK),
    redactExact(text, secrets),
  );
}

export function redactExact(
  text: string,
  secrets: readonly string[],
  minLength = MIN_SECRET_LENGTH,
): string {
  return secrets
    .filter((secret) => secret.length >= minLength)
    .reduce((clean, secret) => clean.replaceAll(secret, MASK), text);
}

/**
 * Redacts chunked text. Holds back the end of a chunk only while it could be the beginning of a secret, so that an ordinary
 * stream passes without delay.
 */
export class StreamRedactor {
  readonly #secrets: readonly string[];
  readonly #minLength: number;
  #held = '';

  constructor(secrets: readonly string[], minLength = MIN_SECRET_LENGTH) {
    this.#minLength = minLength;
    this.#secrets = secrets.filter((secret) => secret.length >= minLength);
  }

  push(piece: string): string {
    const text = redactExact(this.#held + piece, this.#secrets, this.#minLength);
    const heldLength = Math.max(0, ...this.#secrets.map((secret) => overlap(text, secret)));
    this.#held = text.slice(text.length - heldLength);
    return text.slice(0, text.length - heldLength);
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

/** The length of the longest end of `text` that is a beginning of `secret`. */
function overlap(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
