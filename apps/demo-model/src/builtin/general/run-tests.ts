import { type TestOutcome, parseTestOutput } from './outcome.ts';
import { type Runner, fallbackRunner } from './runner.ts';
import type { StepGenerator } from './step-generator.ts';
import { type Todo, type AgentTools, outputOf } from './agent-tools.ts';

export interface TestRun {
  runner: Runner;
  outcome: TestOutcome;
}

/** Runs the tests, with unittest when pytest is missing. */
export function* runTests(
  tools: AgentTools,
  runner: Runner,
  todos: Todo[],
  texts: { think: string; say?: string },
): StepGenerator<TestRun> {
  const results = yield {
    ...texts,
    calls: [
      ...tools.todos(todos),
      ...tools.run(runner.quietCommand ?? runner.command, 'Run the tests'),
    ],
  };
  const output = outputOf(results, 'bash');
  const fallback = fallbackRunner(runner, output ?? '');
  if (fallback === null) return { runner, outcome: parseTestOutput(output) };
  const again = yield {
    think: `pytest is not installed, so I’ll use ${fallback.command}.`,
    calls: tools.run(fallback.quietCommand ?? fallback.command, 'Run the tests'),
  };
  return { runner: fallback, outcome: parseTestOutput(outputOf(again, 'bash')) };
}
