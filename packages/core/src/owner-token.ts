const MIN_LENGTH = 32;
/** Only one in ten million strings of 32 random hexadecimal digits has fewer different ones. */
const MIN_DIFFERENT = 8;

/**
 * The weakness of a guessable owner token: a person may have chosen it. It is a phrase that follows "OWNER_TOKEN" and never
 * contains the token; undefined when the token is strong enough.
 */
export function ownerTokenWeakness(token: string): string | undefined {
  if (token.length < MIN_LENGTH) return `has fewer than ${MIN_LENGTH} characters`;
  if (new Set(token).size < MIN_DIFFERENT)
    return `has fewer than ${MIN_DIFFERENT} different characters`;
  if (isRepetition(token)) return 'repeats a shorter text';
  return undefined;
}

/** A repetition occurs in its own double before its full length. */
const isRepetition = (text: string): boolean => `${text}${text}`.indexOf(text, 1) < text.length;
