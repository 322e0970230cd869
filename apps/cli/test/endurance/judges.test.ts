import type { LedgerEntry } from '@ship/demo-model';
import { describe, expect, it } from 'vitest';
import { expectedBill, isBilledRightly, repeatedSteps } from './agent-chaos/judge.ts';
import { agentChaosReport } from './agent-chaos/report.ts';
import type { AgentRun } from './agent-chaos/run.ts';
import { differences } from './delivery.ts';
import { displacementOf } from './many/run.ts';
import { type AtRest, leaks } from './soak/judge.ts';
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
  it('[CH2] what was served and nothing else is to be paid; twice is too much', () => {
    const bill = expectedBill([call({}), call({ outcome: 'refused', costPicoUsd: null })], later);
    expect(bill).toEqual({ leastMicros: 4_500, mostMicros: 4_500, uncertainCalls: 0 });
    expect(isBilledRightly(bill, 4_500)).toBe(true);
    expect(isBilledRightly(bill, 9_000)).toBe(false);
    expect(isBilledRightly(bill, 4_499)).toBe(false);
  });

  it('a call that was cut off may cost its reservation, and no more', () => {
    const cut = call({ outcome: 'aborted', usage: { ...usage, inputTokens: 0, outputTokens: 0 } });
    const bill = expectedBill([call({}), cut], later);
    expect(bill.uncertainCalls).toBe(1);
    expect(isBilledRightly(bill, 4_500)).toBe(true);
    expect(isBilledRightly(bill, 4_500 + 4_500)).toBe(true);
    expect(isBilledRightly(bill, 4_500 + 506_880)).toBe(true);
    expect(isBilledRightly(bill, 4_500 + 506_881)).toBe(false);
  });

  it('of a call that was under way at the kill nobody can know; one long before must be right', () => {
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

  it('counts answers that had to be given again', () => {
    expect(repeatedSteps([call({}), call({ step: 1 }), call({ step: 1 })])).toBe(1);
    expect(repeatedSteps([call({}), call({ outcome: 'aborted' })])).toBe(0);
  });
});

describe('the other judges', () => {
  it('files that are missing, wrong or too many are named', () => {
    const expected = { a: '1', b: '2', c: '3' };
    expect(differences(expected, expected)).toEqual([]);
    expect(differences(expected, { a: '1', b: '9', d: '4' })).toEqual([
      'b is wrong',
      'c is missing',
      'd is too many',
    ]);
  });

  it('[SO2] who began far from its turn is noticed', () => {
    expect(displacementOf([10, 20, 30, 40])).toBe(0);
    expect(displacementOf([10, 30, 20, 40])).toBe(1);
    expect(displacementOf([90, 20, 30, 40])).toBe(3);
  });

  it('each kind of leak is noticed', () => {
    const before: AtRest = {
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

  it('a percentile is a value that was seen', () => {
    expect([50, 100].map((percent) => percentile([5, 1, 9], percent))).toEqual([5, 9]);
    expect(percentile([], 50)).toBe(0);
  });

  it('a run that failed, did not happen or left something behind counts against the whole', () => {
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
      story: [],
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
