/** Formats every file in place. */
import { runSteps, tool } from './steps.ts';

const failed = await runSteps([{ name: 'format', ...tool('oxfmt') }], { quiet: true });
process.exitCode = failed.length === 0 ? 0 : 1;
