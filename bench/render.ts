/** docs/benchmarks.md as it follows from docs/benchmarks.json: no figure in it is typed by hand. */
import * as z from 'zod';
import { METHODS } from './methods.ts';

const Goal = z.object({
  name: z.string(),
  value: z.number().nullable(),
  goal: z.number(),
  better: z.enum(['lower', 'higher']),
  reached: z.boolean(),
});
const Result = z.looseObject({ goals: z.array(Goal).optional(), failed: z.string().optional() });

export const Results = z.object({
  measuredAt: z.iso.date(),
  machine: z.object({
    cpus: z.number(),
    model: z.string(),
    memoryGb: z.number(),
    node: z.string(),
  }),
  benches: z.record(z.string(), Result),
});
export type Results = z.infer<typeof Results>;

export function renderBenchmarks({ measuredAt, machine, benches }: Results): string {
  const all = Object.values(benches).flatMap(({ goals = [] }) => goals);
  const reached = all.filter((goal) => goal.reached).length;
  return [
    '# Benchmarks',
    '',
    '<!-- Made by `npm run bench -- --docs` of docs/benchmarks.json: do not edit. -->',
    '',
    `Measured on ${measuredAt}: ${machine.cpus} × ${machine.model}, ${machine.memoryGb} GB, Node ${machine.node}. ${reached} of ${all.length} goals reached.`,
    '',
    'Every number comes from one command, given with each table; `npm run bench` runs them all, one after the other, and',
    '`npm run bench -- --docs` writes this page. Machines differ and are noisy: where there is a baseline of the same run, trust',
    'the ratio. All traffic stays on the machine.',
    '',
    ...(all.length === 0 ? ['Nothing has been measured here yet.', ''] : []),
    ...Object.entries(benches).flatMap(([name, result]) => section(name, result)),
  ].join('\n');
}

function section(name: string, { goals = [], failed }: z.infer<typeof Result>): string[] {
  const { title, method } = METHODS[name] ?? { title: name, method: '' };
  const head = [`## ${title}`, '', '```sh', `npm run bench -- ${name}`, '```', ''];
  if (method !== '') head.push(method, '');
  if (failed !== undefined) return [...head, `It could not be measured: ${cell(failed)}`, ''];
  if (goals.length === 0) return [...head, 'It has no goal; its figures are in `--json`.', ''];
  return [
    ...head,
    '| figure | measured | goal | |',
    '|---|---:|---:|---|',
    ...goals.map(
      (goal) =>
        `| ${cell(goal.name)} | ${goal.value === null ? '–' : number(goal.value)} | ${goal.better === 'lower' ? '≤' : '≥'} ${number(goal.goal)} | ${goal.reached ? 'reached' : '**missed**'} |`,
    ),
    '',
  ];
}

const number = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 2 });

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
