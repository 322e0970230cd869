import type { EnvironmentState } from '@ship/protocol';
import { type CommandEnd, type Judgement, judgeRun } from '../verify/judge.ts';
import { testBlocker } from './evolve.ts';

/**
 * Judges a command that ran in this sandbox. When tools or dependencies are missing, a run in which no test passed says
 * nothing about the work: it must never look like a failing test.
 */
export function judgeInEnvironment(
  end: CommandEnd,
  environment: EnvironmentState | undefined,
): Judgement & { reason?: string } {
  const judged = judgeRun(end);
  const reason = testBlocker(environment);
  if (reason === null || judged.verdict === 'passed' || judged.verdict === 'timed-out')
    return judged;
  if (judged.verdict === 'failed' && (judged.counts?.passed ?? 0) > 0) return judged;
  return { verdict: 'unavailable', counts: null, failing: [], reason: reason.slice(0, 1000) };
}
