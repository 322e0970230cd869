import { describe, expect, it } from 'vitest';
import { parseTestOptions } from './options.ts';
import { DEFAULT_SUITES, SUITE_NAMES } from './suites.ts';

describe('arguments of npm test', () => {
  it('runs every suite but the long ones when there are none', () => {
    expect(parseTestOptions([])).toEqual({ names: [], suites: DEFAULT_SUITES, timings: false });
    expect(DEFAULT_SUITES).not.toContain('processes-long');
  });

  it('searches a name in the long suites too', () => {
    expect(parseTestOptions(['soak'])).toMatchObject({ suites: SUITE_NAMES });
  });

  it('takes several names, suites and --timings in any order', () => {
    expect(
      parseTestOptions(['evolve', '--timings', '--suite=units', 'retry', '--suite', 'workerd']),
    ).toEqual({ names: ['evolve', 'retry'], suites: ['units', 'workerd'], timings: true });
  });

  it('takes a name that begins with a dash after a second --', () => {
    expect(parseTestOptions(['--', '-odd'])).toMatchObject({ names: ['-odd'] });
  });

  it.each([
    [['--watch'], '--watch'],
    [['-x'], '-x'],
    [['--timings=yes'], '--timings'],
    [['--suite'], '--suite'],
    [['--suite', 'unit'], 'There is no suite "unit"'],
    [[''], 'NAME is empty'],
  ])('%j is a usage error that names the mistake and the usage', (args, named) => {
    const parsed = parseTestOptions(args);
    expect(parsed).toEqual({ mistake: expect.stringContaining(named) });
    expect(parsed).toEqual({ mistake: expect.stringContaining('Usage: npm test') });
  });

  it('prints the usage on request', () => {
    expect(parseTestOptions(['--help'])).toEqual({ help: expect.stringContaining('--timings') });
    expect(parseTestOptions(['-h'])).toHaveProperty('help');
  });
});
