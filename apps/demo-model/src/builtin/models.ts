import type { ModelSpec } from '../script/script.ts';

/** Nominal prices: nothing is charged, but budgets and costs are computed. */
export const DEFAULT_MODELS: ModelSpec[] = [
  {
    id: 'demo',
    name: 'Demo (scripted, no real model)',
    contextTokens: 128_000,
    outputTokens: 8192,
    price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  },
  {
    id: 'demo-small',
    name: 'Demo small (scripted, no real model)',
    contextTokens: 128_000,
    outputTokens: 8192,
    price: { input: 0.25, output: 1.25, cacheRead: 0.025, cacheWrite: 0.3 },
  },
];
