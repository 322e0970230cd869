import { parseArgs } from 'node:util';
import { MAX_SEED, wholeNumber } from './whole-number.ts';

export interface FuzzOptions {
  cases: number;
  seed: number;
}

const DEFAULTS: FuzzOptions = { cases: 8_000, seed: 20_260_918 };
/** More would exceed the timeouts of the suites. */
const MAX_CASES = 100_000;

export function parseFuzzOptions(args: readonly string[]): FuzzOptions | { mistake: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { cases: { type: 'string' }, seed: { type: 'string' } },
    });
    return {
      cases: wholeNumber('--cases', values.cases, {
        fallback: DEFAULTS.cases,
        min: 1,
        max: MAX_CASES,
      }),
      seed: wholeNumber('--seed', values.seed, { fallback: DEFAULTS.seed, min: 0, max: MAX_SEED }),
    };
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) };
  }
}
