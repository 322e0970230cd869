/**
 * `npm test` tries the same random cases each time: a counterexample found by chance would block an unrelated change. `npm run fuzz -- --seed N` searches with other seeds.
 */
import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    propertySeed: number;
  }
}

fc.configureGlobal({ seed: inject('propertySeed') });
