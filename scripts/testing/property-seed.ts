/**
 * `npm test` tries the same random cases each time: a counterexample that turns up by chance would block a change that has
 * nothing to do with it. `npm run fuzz -- --seed N` searches with other seeds.
 */
import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    propertySeed: number;
  }
}

fc.configureGlobal({ seed: inject('propertySeed') });
