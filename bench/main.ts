/**
 * `npm run bench -- [NAME…] [--json] [--docs] [--out FILE]`: measures against a baseline in the same run, because machines
 * differ and are noisy: trust the ratios. With --json the last line is one JSON object. Without a name all of them run,
 * and bench/results.json gets the results; --docs writes docs/benchmarks.json and docs/benchmarks.md instead, and --render
 * the latter from the former without measuring.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { benchDemo } from './demo.ts';
import { benchStart } from './start.ts';
import { benchAgent } from './agent/index.ts';
import { benchGit } from './git/index.ts';
import { benchIsolation } from './isolation/index.ts';
import { benchSandboxCold } from './sandbox/cold.ts';
import { benchModels } from './models/index.ts';
import { benchSandbox } from './sandbox/index.ts';
import { benchScale } from './scale/index.ts';
import { benchSession } from './session/index.ts';
import { parseBenchOptions } from './options.ts';
import { Results, renderBenchmarks } from './render.ts';
import { machine, runSuite, writeDocs, writeResults } from './suite.ts';
import { benchWeb } from './web/index.ts';
import { type Report, printReport } from './report.ts';

const BENCHES: Record<string, () => Promise<Report>> = {
  demo: benchDemo,
  start: benchStart,
  sandbox: benchSandbox,
  session: benchSession,
  web: benchWeb,
  'sandbox-cold': benchSandboxCold,
  isolation: benchIsolation,
  models: benchModels,
  git: benchGit,
  scale: benchScale,
  agent: benchAgent,
};

const options = parseBenchOptions(process.argv.slice(2), Object.keys(BENCHES));
if ('help' in options) {
  process.stdout.write(options.help);
  process.exit(0);
}
if ('mistake' in options) {
  process.stderr.write(`bench: ${options.mistake}\nbench: see --help for usage\n`);
  process.exit(2);
}
const { names: asked, json: isQuiet } = options;

if (options.render) {
  const known = Results.parse(JSON.parse(readFileSync('docs/benchmarks.json', 'utf8')));
  writeFileSync('docs/benchmarks.md', renderBenchmarks(known));
} else if (asked.length === 0 || options.docs) {
  const names = asked.length === 0 ? Object.keys(BENCHES) : asked;
  const results = await runSuite(names, isQuiet);
  if (options.docs) writeDocs(results);
  else writeResults(results, options.out);
  if (isQuiet) await print({ machine: results.machine, ...results.benches });
} else {
  const results: Record<string, Report> = {};
  for (const name of asked) {
    const report = await BENCHES[name]?.();
    if (report === undefined) continue;
    results[name] = report;
    if (!isQuiet) printReport(name, report);
  }
  if (isQuiet) await print({ machine: machine(), ...results });
}
// Work that a benchmark abandoned at its deadline must not keep the process alive.
process.exit();

function print(results: unknown): Promise<void> {
  const text = `${JSON.stringify(results)}\n`;
  return new Promise((written) => process.stdout.write(text, () => written()));
}
