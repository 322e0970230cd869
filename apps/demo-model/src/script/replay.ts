/** Finds the next step of a story by telling it again with what the conversation says happened. */
import { isDeepStrictEqual } from 'node:util';
import type { CallPlan, Reply, Result, Rule, Turn } from './script.ts';

/** More steps than any agent should take: a story that never ends must not hold the server. */
const MAX_STEPS = 2000;

export interface NextStep {
  reply: Reply;
  step: number;
  last: boolean;
}

export function nextStep(rule: Rule, turn: Turn): NextStep {
  const lost = rule.afterCompaction === 'continue' ? turn.lostSteps : 0;
  const past = [...Array.from({ length: lost }, () => []), ...turn.steps].slice(0, MAX_STEPS);
  const story = rule.run(turn);
  let told = story.next();
  let before: CallPlan[] = [];
  let step = 0;
  for (const results of past) {
    if (
      isHalfOf(told.value.calls ?? [], results) ||
      isAgain(told.value.calls ?? [], before, results)
    )
      continue;
    if (told.done === true) {
      // The last word included calls, or was lost on the way: say it without acting again.
      return { reply: { say: told.value.say ?? 'Done.' }, step, last: true };
    }
    before = told.value.calls ?? [];
    told = story.next(results);
    step += 1;
  }
  return { reply: told.value, step, last: told.done === true };
}

/** An answer that was cut off after some of its calls: agents make those, and ask for the whole answer again. */
function isHalfOf(due: CallPlan[], results: Result[]): boolean {
  return results.length > 0 && results.length < due.length && areTheFirstOf(due, results);
}

/** An answer that was cut off after its last call: all of them are made twice. */
function isAgain(due: CallPlan[], before: CallPlan[], results: Result[]): boolean {
  if (results.length === 0 || results.length > before.length) return false;
  return areTheFirstOf(before, results) && !areTheFirstOf(due, results);
}

function areTheFirstOf(calls: CallPlan[], results: Result[]): boolean {
  return results.every(({ tool, input }, index) =>
    isDeepStrictEqual({ tool, input }, calls[index]),
  );
}

/** How many steps of the story a flat list of calls makes up: a compaction's text does not say where a step ends. */
export function countSteps(rule: Rule, turn: Turn, results: Result[]): number {
  if (rule.afterCompaction === 'restart') return 0;
  const story = rule.run(turn);
  let told = story.next();
  let steps = 0;
  let used = 0;
  while (told.done !== true && steps < MAX_STEPS) {
    const lost = steps < turn.lostSteps;
    const size = lost ? 0 : (told.value.calls?.length ?? 0);
    // A step of which only some calls were made is taken again as a whole.
    if (!lost && (used >= results.length || used + size > results.length)) break;
    told = story.next(results.slice(used, used + size));
    used += size;
    steps += 1;
  }
  return steps;
}
