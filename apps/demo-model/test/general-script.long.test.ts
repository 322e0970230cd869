/**
 * The general script on several kinds of repositories, with the real OpenCode binary. `npm test` runs it on the sample repository:
 * `ship demo` in apps/cli/test/run.test.ts.
 */
import { openWorld } from './open-world.ts';
import { describeGeneral } from './suites/general.ts';

describeGeneral(openWorld([]));
