/**
 * `npm run bench -- [NAME…] [--json]`: measures, beside a baseline in the same run, because machines differ and are
 * noisy: trust the ratios. With --json the last line is one JSON object.
 */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { benchStart } from './start.ts';
import { benchGit } from './git/index.ts';
import { benchIsolation } from './isolation/index.ts';
import { benchSandboxCold } from './sandbox/cold.ts';
import { benchModels } from './models/index.ts';
import { benchSandbox } from './sandbox/index.ts';
import { benchScale } from './scale/index.ts';
import { benchSession } from './session/index.ts';
import { type Report, printReport } from './table.ts';

const BENCHES: Record<string, () => Promise<Report>> = {
  start: benchStart,
  sandbox: benchSandbox,
  session: benchSession,
  'sandbox-cold': benchSandboxCold,
  isolation: benchIsolation,
  models: benchModels,
  git: benchGit,
  scale: benchScale,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});
const names = positionals.length === 0 ? Object.keys(BENCHES) : positionals;
const unknown = names.find((name) => !Object.hasOwn(BENCHES, name));
if (unknown !== undefined) {
  console.error(`bench: there is no "${unknown}"; there is: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}

const results: Record<string, Report> = {};
for (const name of names) {
  const report = await BENCHES[name]?.();
  if (report === undefined) continue;
  results[name] = report;
  if (!values.json) printReport(name, report);
}
if (values.json) {
  const machine = {
    cpus: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.version,
  };
  const text = `${JSON.stringify({ machine, ...results })}\n`;
  await new Promise<void>((written) => process.stdout.write(text, () => written()));
}
// What a benchmark gave up on when its time was over must not keep the run alive.
process.exit();
