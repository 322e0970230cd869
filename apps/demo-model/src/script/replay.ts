/** Finds the next step of a story by telling it again with what the conversation says happened. */
import type { Reply, Result, Rule, Turn } from './script.ts';

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
  for (const [step, results] of past.entries()) {
    if (told.done === true) {
      // The last word included calls, or was lost on the way: say it without acting again.
      return { reply: { say: told.value.say ?? 'Done.' }, step, last: true };
    }
    told = story.next(results);
  }
  return { reply: told.value, step: past.length, last: told.done === true };
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
