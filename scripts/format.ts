/** Formats every file in place. */
import { failedNames, runSteps, tool } from './steps.ts';

const results = await runSteps([{ name: 'format', ...tool('oxfmt') }], { quiet: true });
process.exitCode = failedNames(results).length === 0 ? 0 : 1;
