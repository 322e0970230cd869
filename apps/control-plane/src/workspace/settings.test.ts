import { DEFAULT_SETTINGS, Settings } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reviveSettings } from './settings.ts';

const steps = (row: object) => reviveSettings(row).limits;

describe('settings of another version', () => {
  it('[WS15] what is missing gets its default, what is unknown or no longer fits is dropped', () => {
    expect(
      reviveSettings({
        defaultModel: 'demo/a',
        limits: { maxStepsPerTurn: 9, gone: true },
        egress: { allow: 'everything' },
        sandboxProvider: 'carrier-pigeon',
        forgotten: 1,
      }),
    ).toEqual({
      ...DEFAULT_SETTINGS,
      defaultModel: 'demo/a',
      limits: { ...DEFAULT_SETTINGS.limits, maxStepsPerTurn: 9 },
    });
    expect(reviveSettings({ idle: { pauseAfterMs: 80_000_000 } })).toEqual(DEFAULT_SETTINGS);
  });

  it('[BU12] a cap that nobody chose is the default; an amount that somebody chose stays, and so does no cap', () => {
    const before = { turnUsd: null, sessionUsd: null, dailyUsd: 3, dailyTokens: null };
    expect(reviveSettings({ budgets: before }).budgets).toMatchObject({
      turnUsd: 3,
      sessionUsd: 5,
      dailyUsd: 3,
      byDefault: ['turnUsd', 'sessionUsd'],
    });
    const chosen = { ...DEFAULT_SETTINGS.budgets, sessionUsd: null, byDefault: ['dailyUsd'] };
    expect(reviveSettings({ budgets: chosen }).budgets).toEqual(chosen);
    expect(reviveSettings({}).budgets).toEqual(DEFAULT_SETTINGS.budgets);
  });

  it('[BU12] a row from before a turn had a default gets it, unless the row has an amount', () => {
    const older = { ...DEFAULT_SETTINGS.budgets, sessionUsd: null, byDefault: ['dailyUsd'] };
    expect(reviveSettings({ budgets: { ...older, turnUsd: null } }).budgets).toEqual({
      ...older,
      turnUsd: 3,
      byDefault: ['turnUsd', 'dailyUsd'],
    });
    const chosen = { ...older, turnUsd: 0.5 };
    expect(reviveSettings({ budgets: chosen }).budgets).toEqual(chosen);
    const removed = { ...older, turnUsd: null };
    const row = { budgets: removed, defaultedCaps: ['turnUsd', 'sessionUsd', 'dailyUsd'] };
    expect(reviveSettings(row).budgets).toEqual(removed);
  });

  it('[EY5] the old default of steps becomes the new one; a number that was chosen stays', () => {
    const limits = { ...DEFAULT_SETTINGS.limits, toolFailures: 7 };
    expect(steps({ limits: { ...limits, maxStepsPerTurn: 25 } })).toEqual({
      ...limits,
      maxStepsPerTurn: 200,
    });
    expect(steps({ limits: { ...limits, maxStepsPerTurn: 40 } }).maxStepsPerTurn).toBe(40);
    const chosen = { limits: { ...limits, maxStepsPerTurn: 25 }, defaultSteps: 200 };
    expect(steps(chosen).maxStepsPerTurn).toBe(25);
  });

  it('[WS15] whatever is stored, something valid comes out', () => {
    const stored = fc.oneof(
      fc.anything(),
      fc.record(
        Object.fromEntries(Object.keys(DEFAULT_SETTINGS).map((key) => [key, fc.anything()])),
      ),
    );
    fc.assert(
      fc.property(stored, (value) => {
        const revived = reviveSettings(value);
        expect(Settings.safeParse(revived).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('[WS15] the defaults are valid', () =>
    expect(Settings.parse(DEFAULT_SETTINGS)).toEqual(DEFAULT_SETTINGS));
});
