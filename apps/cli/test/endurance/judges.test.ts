import type { LedgerEntry } from '@ship/demo-model';
import { describe, expect, it } from 'vitest';
import { expectedBill, isBilledCorrectly, repeatedSteps } from './agent-chaos/judge.ts';
import { agentChaosReport } from './agent-chaos/report.ts';
import type { AgentRun } from './agent-chaos/run.ts';
import { differences } from './delivery.ts';
import { displacementOf } from './many/run.ts';
import { type IdleReading, leaks } from './soak/judge.ts';
import { percentile } from './statistics.ts';

const usage = {
  inputTokens: 1_000,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 100,
  reasoningTokens: 0,
};
const call = (over: Partial<LedgerEntry>): LedgerEntry => ({
  seq: 1,
  atMs: 0,
  durationMs: 500,
  protocol: 'chat',
  model: 'demo',
  session: null,
  keySha256: null,
  kind: 'turn',
  rule: 'parts',
  step: 0,
  prompt: '',
  tools: [],
  fault: null,
  outcome: 'served',
  status: 200,
  streamed: true,
  writtenFragments: 1,
  usage,
  costPicoUsd: 4_500_000_000,
  costUsd: 0.0045,
  ...over,
});

const killed = (atMs: number) => ({ atMs, settlingMs: 500 });
const later = killed(60_000);

describe('the judge of bills', () => {
  it('[CH2] exactly the served calls must be billed; twice is too much', () => {
    const bill = expectedBill([call({}), call({ outcome: 'refused', costPicoUsd: null })], later);
    expect(bill).toEqual({ leastMicros: 4_500, mostMicros: 4_500, uncertainCalls: 0 });
    expect(isBilledCorrectly(bill, 4_500)).toBe(true);
    expect(isBilledCorrectly(bill, 9_000)).toBe(false);
    expect(isBilledCorrectly(bill, 4_499)).toBe(false);
  });

  it('an aborted call may cost at most its reservation', () => {
    const cut = call({ outcome: 'aborted', usage: { ...usage, inputTokens: 0, outputTokens: 0 } });
    const bill = expectedBill([call({}), cut], later);
    expect(bill.uncertainCalls).toBe(1);
    expect(isBilledCorrectly(bill, 4_500)).toBe(true);
    expect(isBilledCorrectly(bill, 4_500 + 4_500)).toBe(true);
    expect(isBilledCorrectly(bill, 4_500 + 506_880)).toBe(true);
    expect(isBilledCorrectly(bill, 4_500 + 506_881)).toBe(false);
  });

  it('a call that was running at the kill is uncertain; one long before must be exact', () => {
    const before = call({ atMs: 0 });
    const during = call({ atMs: 60_000 });
    expect(expectedBill([before, during], killed(60_200))).toMatchObject({
      leastMicros: 4_500,
      uncertainCalls: 1,
    });
    expect(expectedBill([before, during], killed(30_000))).toMatchObject({
      leastMicros: 9_000,
      uncertainCalls: 0,
    });
  });

  it('counts repeated answers', () => {
    expect(repeatedSteps([call({}), call({ step: 1 }), call({ step: 1 })])).toBe(1);
    expect(repeatedSteps([call({}), call({ outcome: 'aborted' })])).toBe(0);
  });
});

describe('the other judges', () => {
  it('names missing, wrong and unexpected files', () => {
    const expected = { a: '1', b: '2', c: '3' };
    expect(differences(expected, expected)).toEqual([]);
    expect(differences(expected, { a: '1', b: '9', d: '4' })).toEqual([
      'b is wrong',
      'c is missing',
      'd is too many',
    ]);
  });

  it('[SO2] detects a session that started far from its turn', () => {
    expect(displacementOf([10, 20, 30, 40])).toBe(0);
    expect(displacementOf([10, 30, 20, 40])).toBe(1);
    expect(displacementOf([90, 20, 30, 40])).toBe(3);
  });

  it('detects each kind of leak', () => {
    const before: IdleReading = {
      hostMb: 200,
      controlPlaneMb: 200,
      allMb: 400,
      processes: 2,
      hostFiles: 50,
      controlPlaneFiles: 60,
      diskMb: 100,
      sandboxFolders: 0,
    };
    expect(leaks(before, before)).toEqual([]);
    expect(leaks(before, { ...before, hostMb: 900 })[0]).toContain('memory of the host');
    expect(leaks(before, { ...before, controlPlaneMb: 900 })[0]).toContain('control plane');
    expect(leaks(before, { ...before, hostFiles: 500 })[0]).toContain('files of the host');
    expect(leaks(before, { ...before, controlPlaneFiles: 500 })[0]).toContain(
      'files of the control',
    );
    expect(leaks(before, { ...before, processes: 3 })[0]).toContain('processes');
    expect(leaks(before, { ...before, diskMb: 900 })[0]).toContain('disk');
    expect(leaks(before, { ...before, sandboxFolders: 1 })[0]).toContain('sandboxes on disk');
  });

  it('a percentile is one of the values', () => {
    expect([50, 100].map((percent) => percentile([5, 1, 9], percent))).toEqual([5, 9]);
    expect(percentile([], 50)).toBe(0);
  });

  it('a run that failed, did not happen or left something behind fails the whole', () => {
    const bill = { leastMicros: 0, mostMicros: 0, uncertainCalls: 0, billedMicros: 0 };
    const run: AgentRun = {
      run: 0,
      victim: 'agent',
      moment: { afterStep: 0, delayMs: 0 },
      recoveryMs: 10,
      totalMs: 20,
      attempts: 2,
      repeatedSteps: 1,
      conversationsLost: 0,
      bill,
      eventsSinceKill: [],
      faults: [],
    };
    expect(agentChaosReport({ runs: [run], wanted: 1, leftBehind: [] })).toMatchObject({
      failed: 0,
    });
    expect(
      agentChaosReport({ runs: [{ ...run, faults: ['x'] }], wanted: 3, leftBehind: ['y'] }),
    ).toMatchObject({ passed: 0, failed: 4 });
  });
});
