import { DEFAULT_SETTINGS, type SessionState } from '@ship/protocol';
import { expect, it } from 'vitest';
import { stepLimit } from './step-limit.ts';

it.each([
  [7, 60, 7],
  [null, 60, 60],
  [null, null, DEFAULT_SETTINGS.limits.maxStepsPerTurn],
])('[EY5] session %j, repository %j: %i steps', async (session, repository, steps) => {
  const state = { maxStepsPerTurn: session, repository: '/r' } as SessionState;
  const place = { state: () => state, settings: DEFAULT_SETTINGS };
  const facts = {
    setupCommand: null,
    verifyCommand: null,
    installDependencies: null,
    installScripts: null,
    maxStepsPerTurn: repository,
  };
  expect(await stepLimit(place, { repository: async () => facts })).toBe(steps);
});
