import type { DemoModel } from '../src/index.ts';
import type { OpenCode } from './opencode.ts';
import type { Repository } from './repository.ts';

/** What all suites with the real agent share: starting it costs more than a suite. */
export interface World {
  model: DemoModel;
  agent: OpenCode;
  repository: Repository;
}
