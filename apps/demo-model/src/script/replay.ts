/** Finds the next step by replaying the script's generator with the results of the conversation. */
import { isDeepStrictEqual } from 'node:util';
import type { CallPlan, Reply, Result, Rule, Turn } from './script.ts';

/** Limits the replay: a generator that never ends must not block the server. */
const MAX_STEPS = 2000;

export interface NextStep {
  reply: Reply;
  step: number;
  last: boolean;
}

export function nextStep(rule: Rule, turn: Turn): NextStep {
  const compacted = rule.afterCompaction === 'continue' ? turn.lostSteps : 0;
  const past = [...Array.from({ length: compacted }, () => []), ...turn.steps].slice(0, MAX_STEPS);
  const generator = rule.run(turn);
  let current = generator.next();
  let before: CallPlan[] = [];
  let step = 0;
  for (const results of past) {
    if (
      isPartialStep(current.value.calls ?? [], results) ||
      isRepeatedStep(current.value.calls ?? [], before, results)
    )
      continue;
    if (current.done === true) {
      // The final reply had calls, or was lost: repeat its text without calls.
      return { reply: { say: current.value.say ?? 'Done.' }, step, last: true };
    }
    before = current.value.calls ?? [];
    current = generator.next(results);
    step += 1;
  }
  return { reply: current.value, step, last: current.done === true };
}

/** After an answer that was cut off in its calls, agents run the received calls and request the whole answer again. */
function isPartialStep(expected: CallPlan[], results: Result[]): boolean {
  return results.length > 0 && results.length < expected.length && isPrefix(expected, results);
}

/** After an answer that was cut off behind its last call, agents run all of its calls twice. */
function isRepeatedStep(expected: CallPlan[], before: CallPlan[], results: Result[]): boolean {
  if (results.length === 0 || results.length > before.length) return false;
  return isPrefix(before, results) && !isPrefix(expected, results);
}

function isPrefix(calls: CallPlan[], results: Result[]): boolean {
  return results.every(({ tool, input }, index) =>
    isDeepStrictEqual({ tool, input }, calls[index]),
  );
}

/** Counts the steps of a flat list of calls: the text of a compaction does not show where steps end. */
export function countSteps(rule: Rule, turn: Turn, results: Result[]): number {
  if (rule.afterCompaction === 'restart') return 0;
  const generator = rule.run(turn);
  let current = generator.next();
  let steps = 0;
  let used = 0;
  while (current.done !== true && steps < MAX_STEPS) {
    const compacted = steps < turn.lostSteps;
    const size = compacted ? 0 : (current.value.calls?.length ?? 0);
    // A step with missing calls is repeated as a whole.
    if (!compacted && (used >= results.length || used + size > results.length)) break;
    current = generator.next(results.slice(used, used + size));
    used += size;
    steps += 1;
  }
  return steps;
}
