/** Seeded requests that no well-behaved client sends. */
import * as fc from 'fast-check';

import { apiCase } from './api-cases.ts';
import { envdCase } from './envd-cases.ts';
import { rawCase } from './raw-cases.ts';
import type { FuzzCase, Live } from './types.ts';

export function fuzzCases(live: Live, seed: number, count: number): FuzzCase[] {
  const any: fc.Arbitrary<FuzzCase> = fc.oneof(
    { weight: 5, arbitrary: apiCase(live) },
    { weight: 4, arbitrary: envdCase(live) },
    { weight: 2, arbitrary: rawCase(live) },
  );
  return fc.sample(any, { seed, numRuns: count });
}
