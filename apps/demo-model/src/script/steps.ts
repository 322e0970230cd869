/** Converts a list of steps to a generator. */
import type { StepSpec } from './schema.ts';
import type { Reply, Result, Run } from './script.ts';
import { fillReply } from './template.ts';

export function runSteps(steps: StepSpec[]): Run {
  const expanded = steps.flatMap((step) => Array.from({ length: step.repeat ?? 1 }, () => step));
  return function* (turn) {
    let results: Result[] = [];
    for (const step of expanded.slice(0, -1)) {
      results = yield fillReply(chooseReply(step, results), turn, results);
    }
    const last = expanded.at(-1);
    return last === undefined ? {} : fillReply(chooseReply(last, results), turn, results);
  };
}

function chooseReply(step: StepSpec, results: Result[]): Reply {
  const { branch, repeat: _, ...base } = step;
  const text = results.map((result) => result.text).join('\n');
  const chosen = branch?.find((option) => option.ifResult?.test(text) ?? true);
  if (chosen === undefined) return base;
  const { ifResult: _condition, ...reply } = chosen;
  return { ...base, ...reply };
}
