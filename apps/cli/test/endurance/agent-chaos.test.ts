import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentChaosOutcome, runAgentChaos } from './agent-chaos/run.ts';

const MINUTE_MS = 60_000;

/**
 * The short version of `npm run chaos -- --agent`: one kill of the host, with all that it supervises. The agent alone and its
 * sandbox alone are killed in agent-recovery.test.ts (AG13) and lost-sandbox.test.ts.
 */
describe('kill -9 while the agent works', () => {
  let outcome: AgentChaosOutcome;
  beforeAll(async () => {
    outcome = await runAgentChaos({ runs: 1, seed: 11, victims: ['host'] });
  }, 20 * MINUTE_MS);

  it('[CH1] every task ends with the right files, the right state and one pull request', () => {
    const told = outcome.runs.map(({ victim, faults, eventsSinceKill }) => ({
      victim,
      faults,
      eventsSinceKill: faults.length > 0 ? eventsSinceKill : [],
    }));
    expect(told).toEqual([{ victim: 'host', faults: [], eventsSinceKill: [] }]);
  });

  it('[CH2] the sessions’ bill is what the model served, up to aborted calls', () => {
    expect(outcome.runs).toHaveLength(1);
    for (const { bill } of outcome.runs) {
      expect(bill.leastMicros).toBeGreaterThan(0);
      expect(bill.billedMicros).toBeGreaterThanOrEqual(bill.leastMicros);
      expect(bill.billedMicros).toBeLessThanOrEqual(bill.mostMicros);
    }
  });

  it('[SO1] nothing of the sessions is left behind', () => {
    expect(outcome.leftBehind).toEqual([]);
  });
});
