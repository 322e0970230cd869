const MIN_LENGTH = 32;
/** Of 32 random hexadecimal digits one in ten million has fewer. */
const MIN_DIFFERENT = 8;

/**
 * Whether an owner's token could be guessed: a person may have chosen it. Undefined when it will do, else what is wrong with it, to
 * follow "OWNER_TOKEN". The token itself is never in there.
 */
export function ownerTokenWeakness(token: string): string | undefined {
  if (token.length < MIN_LENGTH) return `has fewer than ${MIN_LENGTH} characters`;
  if (new Set(token).size < MIN_DIFFERENT)
    return `has fewer than ${MIN_DIFFERENT} different characters`;
  if (isRepetition(token)) return 'repeats a shorter text';
  return undefined;
}

/** A text that is repeated is found again in its double before its own length. */
const isRepetition = (text: string): boolean => `${text}${text}`.indexOf(text, 1) < text.length;
