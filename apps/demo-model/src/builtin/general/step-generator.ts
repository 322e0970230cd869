import type { Reply, Result } from '../../script/script.ts';

/** Yields steps and returns a result. */
export type StepGenerator<T> = Generator<Reply, T, Result[]>;
