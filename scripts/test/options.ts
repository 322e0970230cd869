import { parseArgs } from 'node:util';
import { DEFAULT_SUITES, SUITE_NAMES, type SuiteName } from './suites.ts';

export interface TestOptions {
  /** Parts of file names; empty for all tests. */
  names: string[];
  /** The suites to choose from. */
  suites: readonly SuiteName[];
  timings: boolean;
}

const USAGE = `Usage: npm test -- [NAME…] [--suite SUITE]… [--timings]

  NAME       runs only the test files whose path contains NAME, long ones too, without the static checks
  --suite    runs only this suite, without the static checks: ${SUITE_NAMES.join(', ')}
  --timings  prints where the time went: by suite, file and test
  --help     prints this text`;

const isSuite = (name: string): name is SuiteName => SUITE_NAMES.some((known) => known === name);

export function parseTestOptions(
  args: readonly string[],
): TestOptions | { help: string } | { mistake: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        suite: { type: 'string', multiple: true, default: [] },
        timings: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { help: USAGE };
    const unknown = values.suite.find((name) => !isSuite(name));
    if (unknown !== undefined) return { mistake: `There is no suite "${unknown}".\n\n${USAGE}` };
    // An empty name would match every file: a variable that was not set, most likely.
    if (positionals.includes('')) return { mistake: `A NAME is empty.\n\n${USAGE}` };
    const suites = values.suite.filter(isSuite);
    return {
      names: positionals,
      suites: suites.length > 0 ? suites : positionals.length > 0 ? SUITE_NAMES : DEFAULT_SUITES,
      timings: values.timings,
    };
  } catch (error) {
    return { mistake: `${messageOf(error)}\n\n${USAGE}` };
  }
}

/** Node adds advice about a second `--`, which does not help here. */
const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\. To specify .*$/s, '.');
