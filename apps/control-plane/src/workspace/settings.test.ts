import { DEFAULT_SETTINGS, Settings } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { upgradeSettings } from './settings.ts';

const steps = (row: object) => upgradeSettings(row).limits;

describe('settings of another version', () => {
  it('[WS15] missing fields get defaults; unknown or invalid ones are dropped', () => {
    expect(
      upgradeSettings({
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
    expect(upgradeSettings({ idle: { pauseAfterMs: 80_000_000 } })).toEqual(DEFAULT_SETTINGS);
  });

  it('[BU12] an unset cap becomes the default; a chosen amount stays, and so does a removed cap', () => {
    const before = { turnUsd: null, sessionUsd: null, dailyUsd: 3, dailyTokens: null };
    expect(upgradeSettings({ budgets: before }).budgets).toMatchObject({
      turnUsd: 3,
      sessionUsd: 5,
      dailyUsd: 3,
      byDefault: ['turnUsd', 'sessionUsd'],
    });
    const chosen = { ...DEFAULT_SETTINGS.budgets, sessionUsd: null, byDefault: ['dailyUsd'] };
    expect(upgradeSettings({ budgets: chosen }).budgets).toEqual(chosen);
    expect(upgradeSettings({}).budgets).toEqual(DEFAULT_SETTINGS.budgets);
  });

  it('[BU12] a row from before the turn default gets it, unless the row has an amount', () => {
    const older = { ...DEFAULT_SETTINGS.budgets, sessionUsd: null, byDefault: ['dailyUsd'] };
    expect(upgradeSettings({ budgets: { ...older, turnUsd: null } }).budgets).toEqual({
      ...older,
      turnUsd: 3,
      byDefault: ['turnUsd', 'dailyUsd'],
    });
    const chosen = { ...older, turnUsd: 0.5 };
    expect(upgradeSettings({ budgets: chosen }).budgets).toEqual(chosen);
    const removed = { ...older, turnUsd: null };
    const row = { budgets: removed, defaultedCaps: ['turnUsd', 'sessionUsd', 'dailyUsd'] };
    expect(upgradeSettings(row).budgets).toEqual(removed);
  });

  it('[EY5] the old default of steps becomes the new one; a chosen number stays', () => {
    const limits = { ...DEFAULT_SETTINGS.limits, toolFailures: 7 };
    expect(steps({ limits: { ...limits, maxStepsPerTurn: 25 } })).toEqual({
      ...limits,
      maxStepsPerTurn: 200,
    });
    expect(steps({ limits: { ...limits, maxStepsPerTurn: 40 } }).maxStepsPerTurn).toBe(40);
    const chosen = { limits: { ...limits, maxStepsPerTurn: 25 }, defaultSteps: 200 };
    expect(steps(chosen).maxStepsPerTurn).toBe(25);
  });

  it('[WS15] any stored value yields valid settings', () => {
    const stored = fc.oneof(
      fc.anything(),
      fc.record(
        Object.fromEntries(Object.keys(DEFAULT_SETTINGS).map((key) => [key, fc.anything()])),
      ),
    );
    fc.assert(
      fc.property(stored, (value) => {
        const revived = upgradeSettings(value);
        expect(Settings.safeParse(revived).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('[WS15] the defaults are valid', () =>
    expect(Settings.parse(DEFAULT_SETTINGS)).toEqual(DEFAULT_SETTINGS));
});
