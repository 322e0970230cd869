import type { SandboxState, SessionId } from '@ship/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Plant, openPlant } from './plant.ts';
import { newRequestId, until } from './plant/api.ts';

const CREATE = /^POST \/(v2\/)?sandboxes$/;

/** The service is the real one, behind a gate that misbehaves. */
describe('a sandbox service that does not do its part', { timeout: 120_000 }, () => {
  let plant: Plant;

  beforeAll(async () => {
    plant = await openPlant();
  }, 120_000);
  beforeEach(async () => {
    plant.gate.fault = undefined;
    await plant.api.settings({ sandboxProvider: 'local' });
  });
  afterAll(() => plant.close(), 60_000);

  const untilStatus = (sessionId: SessionId, wanted: SandboxState['status']) =>
    until(
      async () => (await plant.api.view(sessionId)).state.sandbox,
      ({ status }) => status === wanted,
    );
  const retry = (sessionId: SessionId) =>
    plant.api.ask('POST', `/sessions/${sessionId}/retry`, { requestId: newRequestId() });

  it.each([
    [401, 'credentials-refused'],
    [507, 'out-of-space'],
    [400, 'internal'],
  ])(
    '[LC11] %s needs a person: said with a remedy, tried again when asked',
    async (status, code) => {
      plant.gate.fault = { match: CREATE, status };
      const { sessionId } = await plant.api.create({ prompt: 'go' });
      const failed = await untilStatus(sessionId, 'failed');
      expect(failed).toMatchObject({ error: { code } });
      const { summary } = await plant.api.view(sessionId);
      expect(summary).toMatchObject({ status: 'failed', needsYou: 'error' });
      const { error } = failed as SandboxState & { status: 'failed' };
      expect(error.remedy).not.toBe('');
      plant.gate.fault = undefined;
      await retry(sessionId);
      await untilStatus(sessionId, 'running');
    },
  );

  it.each([
    [429, 'rate-limited'],
    [503, 'unavailable'],
  ])('[LC12] %s passes: tried again by itself, and the user is told', async (status, code) => {
    plant.gate.fault = { match: CREATE, status, times: 2 };
    const { sessionId } = await plant.api.create();
    await untilStatus(sessionId, 'running');
    const failures = (await plant.api.log(sessionId)).filter(
      ({ type }) => type === 'sandbox.failed',
    );
    expect(failures.length).toBeGreaterThan(0);
    expect(failures[0]?.data).toMatchObject({ error: { code, category: 'transient' } });
  });

  it('[LC12] one that is away is tried again until it is back', async () => {
    await plant.gate.leave();
    const { sessionId } = await plant.api.create();
    const seen = await untilStatus(sessionId, 'retrying');
    expect(seen).toMatchObject({ error: { code: 'unreachable' } });
    await plant.gate.back();
    await untilStatus(sessionId, 'running');
  });

  it('[LC13] without a key it says so; another service is used at once when a person asks again', async () => {
    await plant.api.settings({ sandboxProvider: 'e2b' });
    const waiting = [await plant.api.create(), await plant.api.create()] as const;
    for (const { sessionId } of waiting) {
      const failed = await untilStatus(sessionId, 'failed');
      expect(failed).toMatchObject({ error: { code: 'not-configured' } });
    }
    await plant.api.settings({ sandboxProvider: 'local' });
    await retry(waiting[0].sessionId);
    await untilStatus(waiting[0].sessionId, 'running');
    // A new word is a wish to try again, too.
    await plant.api.prompt(waiting[1].sessionId, 'go on');
    await untilStatus(waiting[1].sessionId, 'running');
    for (const { sessionId } of waiting)
      expect(
        (await plant.api.types(sessionId)).filter((type) => type === 'sandbox.failed'),
      ).toEqual(['sandbox.failed']);
  });

  it('[LC14] a sandbox stays with the service that made it when the setting changes', async () => {
    const { sessionId } = await plant.api.create();
    await untilStatus(sessionId, 'running');
    await plant.api.settings({ sandboxProvider: 'e2b' });
    // Whoever wakes up after a restart has read the new setting.
    await plant.plane.restart();
    expect(await plant.api.sandbox(sessionId)).toMatchObject({ status: 'running' });
    await plant.api.ask('DELETE', `/sessions/${sessionId}`);
    await until(
      () => plant.sandboxes.of(sessionId),
      (found) => found.length === 0,
    );
  });
});
