/** Parses a command option that is a whole number within bounds; anything else is reported as an error. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  if (text === undefined) return fallback;
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Error(
    `${name} takes a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`,
  );
}

export const MAX_SEED = 2 ** 31 - 1;

/** A new seed each time, unless one is given; the output prints it. */
export const anySeed = (): number => Date.now() % 1_000_000;
