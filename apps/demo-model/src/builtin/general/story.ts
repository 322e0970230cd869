import type { Reply, Result } from '../../script/script.ts';

/** A part of the story: takes steps and comes to a finding. */
export type Part<Finding> = Generator<Reply, Finding, Result[]>;
