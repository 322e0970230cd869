import type { DurableEnvelope, SessionId } from '@ship/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Harness, LOCAL_TOKEN, openHarness } from './harness.ts';
import { until } from './harness/api.ts';
import { Follower } from './harness/follower.ts';

const HOUR_MS = 3_600_000;
const LONG = { pauseAfterMs: HOUR_MS, sleepAfterMs: HOUR_MS, destroyAfterMs: HOUR_MS };

describe('the life cycle of a sandbox', { timeout: 120_000 }, () => {
  let availableMb = 99_999;
  let harness: Harness;
  let lostUnwatched: { sessionId: SessionId; sandboxId: string };

  beforeAll(async () => {
    harness = await openHarness(
      {},
      { readMemory: async () => ({ availableMb, stallPercent: undefined }) },
    );
    // No request touches this session until the end: only the heartbeat can detect the loss.
    await harness.api.settings({ idle: LONG });
    const { sessionId } = await harness.api.create({ prompt: 'wait' });
    const sandboxId = await runningId(sessionId);
    await harness.sandboxes.kill(sandboxId);
    lostUnwatched = { sessionId, sandboxId };
  }, 120_000);
  beforeEach(() => harness.api.settings({ idle: LONG, sandboxProvider: 'local' }));
  afterAll(() => harness.close(), 60_000);

  const statusOf = async (sessionId: SessionId) =>
    (await harness.api.view(sessionId)).state.sandbox;

  async function runningId(sessionId: SessionId): Promise<string> {
    const sandbox = await until(
      () => statusOf(sessionId),
      ({ status }) => status === 'running',
    );
    return 'sandboxId' in sandbox ? sandbox.sandboxId : '';
  }

  const untilStatus = (sessionId: SessionId, wanted: string) =>
    until(
      () => statusOf(sessionId),
      ({ status }) => status === wanted,
    );

  async function untilEvent(sessionId: SessionId, type: string): Promise<DurableEnvelope[]> {
    return until(
      () => harness.api.log(sessionId),
      (log) => log.some((event) => event.type === type),
    );
  }

  const watch = (sessionId: SessionId) =>
    new Follower({ url: harness.plane.url, token: LOCAL_TOKEN, sessionId }, 'socket');

  it('[LC1] a session gets its sandbox from the start, and records how long that took', async () => {
    const { sessionId } = await harness.api.create();
    const sandboxId = await runningId(sessionId);
    expect(await harness.sandboxes.list(sessionId)).toEqual([{ sandboxId, state: 'running' }]);
    const log = await untilEvent(sessionId, 'stage.finished');
    expect(log.map(({ type }) => type)).toEqual([
      'session.created',
      'sandbox.requested',
      'sandbox.ready',
      'stage.finished',
    ]);
    expect(log[3]?.data).toMatchObject({ stage: 'sandbox', error: null });
    const { spans } = (await harness.api.ask('GET', `/sessions/${sessionId}/trace`)) as {
      spans: { name: string; outcome: string }[];
    };
    expect(spans).toContainEqual(
      expect.objectContaining({ name: 'sandbox.create', outcome: 'ok' }),
    );
  });

  it('[LC2] an idle sandbox is frozen, then asleep, then destroyed, each at its time', async () => {
    const idle = { pauseAfterMs: 1_000, sleepAfterMs: 2_500, destroyAfterMs: 5_000 };
    await harness.api.settings({ idle });
    const { sessionId } = await harness.api.create();
    const log = await untilEvent(sessionId, 'sandbox.destroyed');
    const steps = log.filter(({ type }) =>
      ['session.created', 'sandbox.frozen', 'sandbox.asleep', 'sandbox.destroyed'].includes(type),
    );
    expect(steps.map(({ type }) => type).slice(1)).toEqual([
      'sandbox.frozen',
      'sandbox.asleep',
      'sandbox.destroyed',
    ]);
    const [created = 0, frozen = 0, asleep = 0, destroyed = 0] = steps.map(({ at }) => at);
    expect(frozen - created).toBeGreaterThanOrEqual(idle.pauseAfterMs);
    expect(asleep - created).toBeGreaterThanOrEqual(idle.sleepAfterMs);
    expect(destroyed - created).toBeGreaterThanOrEqual(idle.destroyAfterMs);
    expect(await harness.sandboxes.list(sessionId)).toEqual([]);
    expect(await statusOf(sessionId)).toEqual({ status: 'none' });
  });

  it('[LC3] a viewer wakes the sandbox and keeps it awake; a prompt wakes it too', async () => {
    await harness.api.settings({ idle: { ...LONG, pauseAfterMs: 1_000 } });
    const { sessionId } = await harness.api.create();
    await untilStatus(sessionId, 'frozen');
    const viewer = watch(sessionId);
    await until(
      () => viewer.state?.sandbox.status,
      (status) => status === 'running',
    );
    const [, ...resumed] = (await harness.api.log(sessionId)).filter(
      ({ type }) => type === 'sandbox.frozen' || type === 'sandbox.resumed',
    );
    expect(resumed.map(({ data }) => data)).toEqual([
      expect.objectContaining({ processes: 'kept' }),
    ]);
    await viewer.close();
    await untilStatus(sessionId, 'frozen');
    await harness.api.prompt(sessionId, 'go on');
    await untilStatus(sessionId, 'running');
  });

  it('[LC4] a person pauses, resumes and kills the sandbox, and the state stays', async () => {
    const { sessionId } = await harness.api.create();
    const sandboxId = await runningId(sessionId);
    expect(await harness.api.sandbox(sessionId, 'pause')).toMatchObject({
      status: 'frozen',
      byPerson: true,
    });
    expect(await harness.sandboxes.list(sessionId)).toEqual([{ sandboxId, state: 'paused' }]);
    const viewer = watch(sessionId);
    await until(
      () => viewer.isLive,
      (isLive) => isLive,
    );
    expect(await harness.api.sandbox(sessionId)).toMatchObject({ status: 'frozen' });
    await viewer.close();
    expect(await harness.api.sandbox(sessionId, 'resume')).toMatchObject({ status: 'running' });
    expect(await harness.api.sandbox(sessionId, 'kill')).toEqual({ status: 'none' });
    expect(await harness.sandboxes.list(sessionId)).toEqual([]);
    expect(
      (await harness.api.call('POST', `/sessions/${sessionId}/sandbox/pause`, {})).status,
    ).toBe(409);
    await harness.api.prompt(sessionId, 'again');
    expect(await runningId(sessionId)).not.toBe(sandboxId);
  });

  it('[LC5] a sandbox that a person resumed does not sleep again at once, and reports its processes as lost', async () => {
    const idle = { pauseAfterMs: 2_000, sleepAfterMs: 2_000, destroyAfterMs: HOUR_MS };
    await harness.api.settings({ idle });
    const { sessionId } = await harness.api.create();
    await untilStatus(sessionId, 'asleep');
    expect(await harness.api.sandbox(sessionId, 'resume')).toMatchObject({ status: 'running' });
    const log = await until(
      () => harness.api.log(sessionId),
      (events) => events.filter(({ type }) => type === 'sandbox.frozen').length === 2,
    );
    const resumed = log.find(({ type }) => type === 'sandbox.resumed');
    expect(resumed?.data).toMatchObject({ processes: 'lost' });
    const frozen = log.findLast(({ type }) => type === 'sandbox.frozen');
    expect((frozen?.at ?? 0) - (resumed?.at ?? 0)).toBeGreaterThanOrEqual(1_900);
  });

  it('[LC6] a sandbox that was killed from outside is reported as lost, and replaced when needed', async () => {
    const { sessionId } = await harness.api.create();
    const first = await runningId(sessionId);
    await harness.sandboxes.kill(first);
    expect(await harness.api.sandbox(sessionId)).toMatchObject({
      status: 'lost',
      sandboxId: first,
    });
    await harness.api.prompt(sessionId, 'go on');
    const second = await runningId(sessionId);
    expect(second).not.toBe(first);
    const types = await harness.api.types(sessionId);
    expect(types.filter((type) => type.startsWith('sandbox.'))).toEqual([
      'sandbox.requested',
      'sandbox.ready',
      'sandbox.lost',
      'sandbox.requested',
      'sandbox.ready',
    ]);
  });

  it('[LC7] kill -9 in the middle of a create leaves one sandbox, and strays are killed', async () => {
    harness.sandboxApi.fault = { match: /^POST \/(v2\/)?sandboxes$/, status: 'hold' };
    const { sessionId } = await harness.api.create();
    await until(
      () => harness.sandboxes.list(sessionId),
      (found) => found.length === 1,
    );
    await harness.sandboxes.create(sessionId);
    await harness.plane.kill();
    harness.sandboxApi.fault = undefined;
    await harness.plane.start();
    const sandboxId = await runningId(sessionId);
    await untilEvent(sessionId, 'sandbox.stray-ended');
    expect(await harness.sandboxes.list(sessionId)).toEqual([{ sandboxId, state: 'running' }]);
  });

  it('[LC8] a deleted session leaves nothing, even when the service is unavailable at that moment', async () => {
    const { sessionId } = await harness.api.create();
    await runningId(sessionId);
    const other = await harness.api.create();
    await runningId(other.sessionId);
    await harness.api.ask('DELETE', `/sessions/${sessionId}`);
    expect(await harness.sandboxes.list(sessionId)).toEqual([]);
    expect((await harness.api.call('GET', `/sessions/${sessionId}`)).status).toBe(404);

    await harness.sandboxApi.stop();
    await harness.api.ask('DELETE', `/sessions/${other.sessionId}`);
    await harness.sandboxApi.start();
    await until(
      () => harness.api.call('GET', `/sessions/${other.sessionId}`),
      ({ status }) => status === 404,
    );
    expect(await harness.sandboxes.list(other.sessionId)).toEqual([]);
    const { sessions } = (await harness.api.ask('GET', '/sessions')) as {
      sessions: { sessionId: string }[];
    };
    const left = sessions.map((session) => session.sessionId);
    expect(left).not.toContain(sessionId);
    expect(left).not.toContain(other.sessionId);
  });

  it('[LC9] a closed session keeps its log and no sandbox, whether the sandbox was running or starting', async () => {
    const running = await harness.api.create();
    await runningId(running.sessionId);
    harness.sandboxApi.fault = { match: /^POST \/(v2\/)?sandboxes$/, status: 'hold' };
    const starting = await harness.api.create();
    await until(
      () => harness.sandboxes.list(starting.sessionId),
      (found) => found.length === 1,
    );
    for (const { sessionId } of [running, starting])
      await harness.api.ask('POST', `/sessions/${sessionId}/close`, { requestId: 'close-it-1' });
    // The held call breaks off, as if the service crashed.
    await harness.sandboxApi.stop();
    harness.sandboxApi.fault = undefined;
    await harness.sandboxApi.start();
    for (const { sessionId } of [running, starting]) {
      await untilStatus(sessionId, 'none');
      expect(await harness.sandboxes.list(sessionId)).toEqual([]);
      expect((await harness.api.view(sessionId)).summary.status).toBe('closed');
    }
  });

  it('[SM6] an idle sandbox gives its memory back when others need it; a watched one keeps it', async () => {
    const watched = await harness.api.create();
    const watchedId = await runningId(watched.sessionId);
    const viewer = watch(watched.sessionId);
    await until(
      () => viewer.isLive,
      (isLive) => isLive,
    );
    await harness.api.settings({ idle: { ...LONG, pauseAfterMs: 8_000, sleepAfterMs: HOUR_MS } });
    const { sessionId } = await harness.api.create();
    const sandboxId = await runningId(sessionId);
    await harness.sandboxes.untilEvictable(sandboxId);
    availableMb = 100;
    await until(
      () => harness.sandboxes.list(sessionId),
      ([found]) => found?.state === 'paused',
    );
    // The session has not noticed yet: the next call to the sandbox detects the state.
    expect(await harness.api.sandbox(sessionId)).toMatchObject({ status: 'asleep' });
    availableMb = 99_999;
    expect(await harness.sandboxes.list(watched.sessionId)).toEqual([
      { sandboxId: watchedId, state: 'running' },
    ]);
    await viewer.close();
    expect(await harness.api.sandbox(sessionId, 'resume')).toMatchObject({ status: 'running' });
    const resumed = (await harness.api.log(sessionId)).find(
      ({ type }) => type === 'sandbox.resumed',
    );
    expect(resumed?.data).toMatchObject({ processes: 'lost' });
  });

  it('[SM6] a sandbox that is used again is no longer evictable before work starts in it', async () => {
    await harness.api.settings({ idle: { ...LONG, pauseAfterMs: 20_000 } });
    const { sessionId } = await harness.api.create();
    const sandboxId = await runningId(sessionId);
    await harness.sandboxes.untilEvictable(sandboxId);
    await harness.api.prompt(sessionId, 'go on');
    await until(
      () => harness.sandboxes.isEvictable(sandboxId),
      (isEvictable) => !isEvictable,
    );
    expect(await harness.api.view(sessionId)).toMatchObject({
      state: { sandbox: { status: 'running', sandboxId } },
    });
  });

  it('[LC10] the heartbeat detects a lost sandbox, and the session shows it', async () => {
    const { sessionId, sandboxId } = lostUnwatched;
    const log = await until(
      () => harness.api.log(sessionId),
      (events) => events.filter(({ type }) => type === 'sandbox.ready').length === 2,
      60_000,
    );
    expect(log.find(({ type }) => type === 'sandbox.lost')?.data).toMatchObject({ sandboxId });
  });
});
