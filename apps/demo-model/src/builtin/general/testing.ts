import { type TestOutcome, readOutcome } from './outcome.ts';
import { type Runner, fallbackRunner } from './runner.ts';
import type { Part } from './story.ts';
import { type Todo, type Toolbox, outputOf } from './toolbox.ts';

export interface Tested {
  runner: Runner;
  outcome: TestOutcome;
}

/** Runs the tests, with Python's own runner where pytest is missing. */
export function* runTests(
  box: Toolbox,
  runner: Runner,
  todos: Todo[],
  words: { think: string; say?: string },
): Part<Tested> {
  const results = yield {
    ...words,
    calls: [
      ...box.todos(todos),
      ...box.run(runner.quietCommand ?? runner.command, 'Run the tests'),
    ],
  };
  const output = outputOf(results, 'bash');
  const fallback = fallbackRunner(runner, output ?? '');
  if (fallback === null) return { runner, outcome: readOutcome(output) };
  const again = yield {
    think: `pytest is not installed, so I use ${fallback.command}.`,
    calls: box.run(fallback.quietCommand ?? fallback.command, 'Run the tests'),
  };
  return { runner: fallback, outcome: readOutcome(outputOf(again, 'bash')) };
}
