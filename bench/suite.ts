/** Several benchmarks, each in a separate process: one that hangs or fails loses only its own figures. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Results, renderBenchmarks } from './render.ts';
import { type Report, printReport } from './report.ts';

const ROOT = new URL('..', import.meta.url);
const TIMEOUT_MS = 10 * 60_000;

export const machine = () => ({
  cpus: cpus().length,
  model: cpus()[0]?.model.trim() ?? 'unknown',
  memoryGb: Math.round(totalmem() / 1e9),
  node: process.version,
});

export async function runSuite(names: readonly string[], isQuiet: boolean): Promise<Results> {
  const benches: Record<string, Report> = {};
  for (const name of names) {
    const report = await runAlone(name);
    benches[name] = report;
    if (!isQuiet) printReport(name, report);
  }
  return {
    measuredAt: new Date().toISOString().slice(0, 10),
    machine: machine(),
    benches,
  };
}

/** The last line of output is the report; anything else is reported as a failure. */
function runAlone(name: string): Promise<Report> {
  return new Promise((resolve) => {
    const main = fileURLToPath(new URL('main.ts', import.meta.url));
    const child = spawn(process.execPath, [main, name, '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    // Kills the process group: a benchmark that hangs has started servers.
    const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
    const timer = setTimeout(end, TIMEOUT_MS);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(reportIn(output, name) ?? { failed: `it ended with ${code ?? 'a signal'}` });
    });
  });
}

function reportIn(output: string, name: string): Report | undefined {
  try {
    const last = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Record<string, Report>;
    return last[name];
  } catch {
    return undefined;
  }
}

export function writeResults(results: Results, file: string): void {
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  console.log(`\nwritten: ${file}`);
}

/** A benchmark that is measured again replaces only its own figures. */
export function writeDocs(results: Results): void {
  const json = fileURLToPath(new URL('docs/benchmarks.json', ROOT));
  const known = Results.parse(JSON.parse(readFileSync(json, 'utf8')));
  const all = { ...results, benches: { ...known.benches, ...results.benches } };
  writeResults(all, json);
  writeFileSync(new URL('docs/benchmarks.md', ROOT), renderBenchmarks(all));
}
