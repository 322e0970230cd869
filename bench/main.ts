/**
 * `npm run bench -- [NAME…] [--json]`: measures, beside a baseline in the same run, because machines differ and are
 * noisy: trust the ratios. With --json the last line is one JSON object.
 */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { benchStart } from './start.ts';
import { type Figures, printTable } from './table.ts';

const BENCHES: Record<string, () => Promise<Figures>> = { start: benchStart };

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

const results: Record<string, Figures> = {};
for (const name of names) {
  const figures = await BENCHES[name]?.();
  if (figures === undefined) continue;
  results[name] = figures;
  if (!values.json) printTable(name, figures);
}
if (values.json) {
  const machine = {
    cpus: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.version,
  };
  console.log(JSON.stringify({ machine, ...results }));
}
