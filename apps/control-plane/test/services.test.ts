import type { SandboxState, SessionId } from '@ship/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Harness, openHarness } from './harness.ts';
import { newRequestId, until } from './harness/api.ts';

const CREATE = /^POST \/(v2\/)?sandboxes$/;

/** The real sandbox server, behind a proxy that injects faults. */
describe('failures of the sandbox service', { timeout: 120_000 }, () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
  }, 120_000);
  beforeEach(async () => {
    harness.sandboxApi.fault = undefined;
    await harness.api.settings({ sandboxProvider: 'local' });
  });
  afterAll(() => harness.close(), 60_000);

  const untilStatus = (sessionId: SessionId, wanted: SandboxState['status']) =>
    until(
      async () => (await harness.api.view(sessionId)).state.sandbox,
      ({ status }) => status === wanted,
    );
  const retry = (sessionId: SessionId) =>
    harness.api.ask('POST', `/sessions/${sessionId}/retry`, { requestId: newRequestId() });

  it.each([
    [401, 'credentials-refused'],
    [507, 'out-of-space'],
    [400, 'internal'],
  ])(
    '[LC11] %s needs a person: it fails with a remedy, and retries on request',
    async (status, code) => {
      harness.sandboxApi.fault = { match: CREATE, status };
      const { sessionId } = await harness.api.create({ prompt: 'go' });
      const failed = await untilStatus(sessionId, 'failed');
      expect(failed).toMatchObject({ error: { code } });
      const { summary } = await harness.api.view(sessionId);
      expect(summary).toMatchObject({ status: 'failed', needsYou: 'error' });
      const { error } = failed as SandboxState & { status: 'failed' };
      expect(error.remedy).not.toBe('');
      harness.sandboxApi.fault = undefined;
      await retry(sessionId);
      await untilStatus(sessionId, 'running');
    },
  );

  it.each([
    [429, 'rate-limited'],
    [503, 'unavailable'],
  ])(
    '[LC12] %s is transient: it retries automatically, and the log shows it',
    async (status, code) => {
      harness.sandboxApi.fault = { match: CREATE, status, times: 2 };
      const { sessionId } = await harness.api.create();
      await untilStatus(sessionId, 'running');
      const failures = (await harness.api.log(sessionId)).filter(
        ({ type }) => type === 'sandbox.failed',
      );
      expect(failures.length).toBeGreaterThan(0);
      expect(failures[0]?.data).toMatchObject({ error: { code, category: 'transient' } });
    },
  );

  it('[LC12] an unreachable service is retried until it is back', async () => {
    await harness.sandboxApi.stop();
    const { sessionId } = await harness.api.create();
    const seen = await untilStatus(sessionId, 'retrying');
    expect(seen).toMatchObject({ error: { code: 'unreachable' } });
    await harness.sandboxApi.start();
    await untilStatus(sessionId, 'running');
  });

  it('[LC13] a missing key fails with a reason; the next request of a person uses the newly chosen service at once', async () => {
    await harness.api.settings({ sandboxProvider: 'e2b' });
    const waiting = [await harness.api.create(), await harness.api.create()] as const;
    for (const { sessionId } of waiting) {
      const failed = await untilStatus(sessionId, 'failed');
      expect(failed).toMatchObject({ error: { code: 'not-configured' } });
    }
    await harness.api.settings({ sandboxProvider: 'local' });
    await retry(waiting[0].sessionId);
    await untilStatus(waiting[0].sessionId, 'running');
    // A new prompt retries too.
    await harness.api.prompt(waiting[1].sessionId, 'go on');
    await untilStatus(waiting[1].sessionId, 'running');
    for (const { sessionId } of waiting)
      expect(
        (await harness.api.types(sessionId)).filter((type) => type === 'sandbox.failed'),
      ).toEqual(['sandbox.failed']);
  });

  it('[LC14] a sandbox stays with the service that created it when the setting changes', async () => {
    const { sessionId } = await harness.api.create();
    await untilStatus(sessionId, 'running');
    await harness.api.settings({ sandboxProvider: 'e2b' });
    // After a restart, the session has read the new setting.
    await harness.plane.restart();
    expect(await harness.api.sandbox(sessionId)).toMatchObject({ status: 'running' });
    await harness.api.ask('DELETE', `/sessions/${sessionId}`);
    await until(
      () => harness.sandboxes.list(sessionId),
      (found) => found.length === 0,
    );
  });
});
