import type { EnvironmentState } from '@ship/protocol';
import { type CommandEnd, type Judgement, judgeRun } from '../verify/judge.ts';
import { obstacle } from './evolve.ts';

/**
 * What came of the command in this sandbox. Where something is missing, a run in which no test passed says nothing about
 * the work: it must never look like a failing test.
 */
export function judgeHere(
  end: CommandEnd,
  environment: EnvironmentState | undefined,
): Judgement & { reason?: string } {
  const judged = judgeRun(end);
  const reason = obstacle(environment);
  if (reason === null || judged.verdict === 'passed' || judged.verdict === 'timed-out')
    return judged;
  if (judged.verdict === 'failed' && (judged.counts?.passed ?? 0) > 0) return judged;
  return { verdict: 'unavailable', counts: null, failing: [], reason: reason.slice(0, 1000) };
}
