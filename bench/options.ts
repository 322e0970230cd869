import { parseArgs } from 'node:util';

export interface BenchOptions {
  names: string[];
  json: boolean;
  docs: boolean;
  render: boolean;
  out: string;
}

const usage = (known: readonly string[]): string =>
  `npm run bench -- [NAME…] [--json] [--docs] [--render] [--out FILE]

  NAME      ${known.join(', ')}; without one, all of them
  --json    one JSON object as the last line
  --docs    write docs/benchmarks.json and docs/benchmarks.md
  --render  write docs/benchmarks.md from docs/benchmarks.json, without measuring
  --out     where to write the results of all; default: bench/results.json
`;

export function parseBenchOptions(
  args: readonly string[],
  known: readonly string[],
): BenchOptions | { mistake: string } | { help: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        json: { type: 'boolean', default: false },
        docs: { type: 'boolean', default: false },
        render: { type: 'boolean', default: false },
        out: { type: 'string', default: 'bench/results.json' },
      },
    });
    const { help, ...options } = values;
    if (help) return { help: usage(known) };
    const unknown = positionals.find((name) => !known.includes(name));
    if (unknown !== undefined)
      return { mistake: `unknown benchmark "${unknown}"; known: ${known.join(', ')}` };
    return { names: positionals, ...options };
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) };
  }
}
