const MICROS_PER_USD = 1_000_000;

/** Millionths of a dollar, whole: sums of fractions would drift. */
export const toMicros = (usd: number): number => Math.round(usd * MICROS_PER_USD);

export const toUsd = (micros: number): number => micros / MICROS_PER_USD;
