const firstMs = 500;
const capMs = 15_000;

/** Jitter below a doubling ceiling: pages that lost the server together must not reconnect together. */
export const backoffMs = (failures: number, random: number): number =>
  Math.round(Math.min(firstMs * 2 ** failures, capMs) * (0.25 + 0.75 * random));
