/** Summarizes many interrupted tasks: recovery time and cost for each kind of kill. */
import { percentile } from '../statistics.ts';
import type { AgentChaosOutcome, AgentRun } from './run.ts';
import { VICTIMS } from './victims.ts';

export function agentChaosReport({ runs, wanted, leftBehind }: AgentChaosOutcome) {
  const kinds = VICTIMS.flatMap((victim) => {
    const own = runs.filter((run) => run.victim === victim);
    return own.length === 0 ? [] : [{ victim, ...figuresOf(own) }];
  });
  const failedRuns = runs.filter(({ faults }) => faults.length > 0).length;
  // A run that did not happen proves nothing.
  const missing = wanted - runs.length;
  const left = leftBehind.length > 0 ? 1 : 0;
  return {
    passed: runs.length - failedRuns + (1 - left),
    failed: failedRuns + missing + left,
    table: [
      ...kinds.map(
        (kind) =>
          `${kind.victim.padEnd(18)} ${String(kind.runs).padStart(3)} runs · back after ${kind.recoveryP50Ms} ms (p50), ${kind.recoveryMaxMs} ms (max) · ${kind.repeatedSteps} steps again, ${kind.conversationsLost} conversations lost, ${kind.uncertainCalls} calls cut off`,
      ),
      ...leftBehind.map((what) => `✗ left behind: ${what}`),
    ],
    figures: {
      runs: runs.length,
      missing,
      faults: failedRuns,
      leftBehind: leftBehind.length,
      kinds,
    },
  };
}

function figuresOf(runs: readonly AgentRun[]) {
  const recovery = runs.map(({ recoveryMs }) => recoveryMs);
  const total = (of: (run: AgentRun) => number) => runs.reduce((sum, run) => sum + of(run), 0);
  return {
    runs: runs.length,
    recoveryP50Ms: percentile(recovery, 50),
    recoveryMaxMs: percentile(recovery, 100),
    attempts: total(({ attempts }) => attempts),
    repeatedSteps: total((run) => run.repeatedSteps),
    conversationsLost: total((run) => run.conversationsLost),
    uncertainCalls: total(({ bill }) => bill.uncertainCalls),
  };
}
