const MASK = '[redacted]';
/** Local servers take any word as a key; masking that word would spoil what the model says. */
const SHORTEST_SECRET = 12;

/** What keys look like: providers echo them, or a part of them, in their errors ("Incorrect API key provided: sk-…"). */
const KEY_LIKE = [
  /\b(sk|pk|rk|or|gsk|xai|key|api|tok|ghp|gho|ghs|pat|AKIA|AIza)[-_][A-Za-z0-9*._-]{6,}/g,
  /\bAIza[A-Za-z0-9_-]{10,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=*-]{6,}/gi,
  /\bshipcap_[A-Za-z0-9._-]+/g,
];

/** For errors: the secrets themselves, and whatever looks like one. */
export function redactError(text: string, secrets: readonly string[]): string {
  return KEY_LIKE.reduce(
    (clean, pattern) => clean.replaceAll(pattern, MASK),
    redactExact(text, secrets),
  );
}

export function redactExact(
  text: string,
  secrets: readonly string[],
  shortest = SHORTEST_SECRET,
): string {
  return secrets
    .filter((secret) => secret.length >= shortest)
    .reduce((clean, secret) => clean.replaceAll(secret, MASK), text);
}

/**
 * The same for text that comes in pieces. Holds back the end of a piece only while it could be the beginning of a
 * secret, so that an ordinary stream passes at once.
 */
export class StreamRedactor {
  readonly #secrets: readonly string[];
  readonly #shortest: number;
  #held = '';

  constructor(secrets: readonly string[], shortest = SHORTEST_SECRET) {
    this.#shortest = shortest;
    this.#secrets = secrets.filter((secret) => secret.length >= shortest);
  }

  push(piece: string): string {
    const text = redactExact(this.#held + piece, this.#secrets, this.#shortest);
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

/** How much of the end of `text` is a beginning of `secret`. */
function overlap(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
