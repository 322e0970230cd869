import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseBenchOptions } from '../bench/options.ts';
import { Results, renderBenchmarks } from '../bench/render.ts';

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const known = () => Results.parse(JSON.parse(text('docs/benchmarks.json')));

describe('documented benchmarks', () => {
  it('[DC5] the page matches the figures', () => {
    expect(text('docs/benchmarks.md')).toBe(renderBenchmarks(known()));
  });

  it('[DC5] missed targets and failures are listed, and no text breaks the table', () => {
    const lower = { better: 'lower', reached: false } as const;
    const page = renderBenchmarks({
      ...known(),
      benches: {
        git: { goals: [{ name: 'a | b', value: 3, goal: 2, ...lower }] },
        scale: { failed: 'it ended\nwith 1' },
        other: {},
      },
    });
    expect(page).toContain('| a \\| b | 3 | ≤ 2 | **missed** |');
    expect(page).toContain('It could not be measured: it ended with 1');
    expect(page).toContain('npm run bench -- other');
    expect(page).toContain('0 of 1 goals reached');
  });
});

const parse = (...args: string[]) => parseBenchOptions(args, ['demo', 'git']);

describe('options of a benchmark run', () => {
  it('takes names and options for the figures', () => {
    expect(parse('git', 'demo', '--json')).toMatchObject({ names: ['git', 'demo'], json: true });
    expect(parse()).toMatchObject({ names: [], out: 'bench/results.json' });
  });

  it('prints its usage and the known names', () => {
    for (const way of ['--help', '-h']) expect(parse(way)).toEqual({ help: expect.any(String) });
    expect(parse('demos')).toEqual({ mistake: expect.stringContaining('demo, git') });
    expect(parse('--fast')).toEqual({ mistake: expect.stringContaining('--fast') });
  });
});
