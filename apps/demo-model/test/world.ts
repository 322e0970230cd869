import type { DemoModel } from '../src/index.ts';
import type { OpenCode } from './opencode.ts';
import type { Repository } from './repository.ts';

/** Shared by all suites with the real agent: starting it takes longer than a suite. */
export interface World {
  model: DemoModel;
  agent: OpenCode;
  repository: Repository;
}
