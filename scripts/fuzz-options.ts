import { parseArgs } from 'node:util';

export interface FuzzOptions {
  cases: number;
  seed: number;
}

const DEFAULTS: FuzzOptions = { cases: 8_000, seed: 20_260_918 };
/** More would outlast the time that the suites give themselves. */
const MAX_CASES = 100_000;
const MAX_SEED = 2 ** 31 - 1;

export function parseFuzzOptions(args: readonly string[]): FuzzOptions | { mistake: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { cases: { type: 'string' }, seed: { type: 'string' } },
    });
    return {
      cases: whole('--cases', values.cases, DEFAULTS.cases, 1, MAX_CASES),
      seed: whole('--seed', values.seed, DEFAULTS.seed, 0, MAX_SEED),
    };
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) };
  }
}

function whole(
  name: string,
  text: string | undefined,
  fallback: number,
  min: number,
  max: number,
): number {
  if (text === undefined) return fallback;
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Error(
    `${name} takes a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`,
  );
}
