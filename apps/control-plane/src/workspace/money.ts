const MICROS_PER_USD = 1_000_000;

/** Integer millionths of a dollar: sums of fractions would drift. */
export const toMicros = (usd: number): number => Math.round(usd * MICROS_PER_USD);

export const toUsd = (micros: number): number => micros / MICROS_PER_USD;
