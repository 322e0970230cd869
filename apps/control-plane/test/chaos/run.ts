/** Kills the control plane repeatedly while clients write and watch, then compares all that they saw. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionId } from '@ship/protocol';
import { type Harness, LOCAL_TOKEN, openHarness } from '../harness.ts';
import { until } from '../harness/api.ts';
import { Follower } from '../harness/follower.ts';
import { NO_FAULTS, type Verdict, add, judge } from './judge.ts';
import { between, seededRandom } from '../../../../scripts/testing/random.ts';
import { type Sent, Writer } from './writer.ts';

const WRITTEN_SESSIONS = 3;
/** For every so many kills, the run creates one idle session, which its alarms must pause and destroy. */
const KILLS_PER_IDLE_SESSION = 10;
const SETTLE_MS = 120_000;

export interface ChaosOptions {
  kills: number;
  seed: number;
  say?: (text: string) => void;
}

export interface ChaosCounters extends Verdict {
  seed: number;
  kills: number;
  sent: number;
  acknowledged: number;
  repeatedRequests: number;
  /** Refused requests; none should be. */
  refused: number;
  events: number;
  reconnects: number;
  /** Requests whose repetition at the end got another receipt or had a new effect. */
  wrongReceipts: number;
  idleSessions: number;
  /** Alarms that did not fire: idle sandboxes that were never destroyed. */
  missedAlarms: number;
  /** Written sessions without exactly one sandbox. */
  orphans: number;
  /** Sessions whose entry in the list is stale. */
  unreported: number;
}

/** Counters that must be zero. */
export const FAULT_COUNTERS = [
  'lost',
  'duplicated',
  'disorders',
  'differing',
  'wrongStates',
  'refused',
  'wrongReceipts',
  'missedAlarms',
  'orphans',
  'unreported',
] as const satisfies (keyof ChaosCounters)[];

interface Written {
  sessionId: SessionId;
  writer: Writer;
  followers: Follower[];
}

export async function runChaos({ kills, seed, say }: ChaosOptions): Promise<ChaosCounters> {
  const random = seededRandom(seed);
  const harness = await openHarness();
  try {
    await harness.api.settings({
      idle: { pauseAfterMs: 1_000, sleepAfterMs: 1_500, destroyAfterMs: 2_500 },
    });
    const written: Written[] = [];
    for (let i = 0; i < WRITTEN_SESSIONS; i++) written.push(await write(harness, random, i));
    const idle: SessionId[] = [];
    let atLastKill = workOf(written);
    for (let kill = 0; kill < kills; kill++) {
      if (kill % KILLS_PER_IDLE_SESSION === 0) idle.push((await harness.api.create()).sessionId);
      if (kill % 2 === 1) await untilAtWork(written, atLastKill);
      await sleep(between(random, 5, 700));
      atLastKill = workOf(written);
      await harness.plane.kill();
      await harness.plane.start();
      if (kill % 20 === 19) say?.(`${kill + 1} kills`);
    }
    await Promise.all(written.map(({ writer }) => writer.stop()));
    return await settle(harness, written, idle, { kills, seed });
  } finally {
    await harness.close();
  }
}

/**
 * On a slow machine, kills by the clock alone hit before the clients are back, and prove little: every second kill waits until
 * there is work to lose.
 */
async function untilAtWork(written: readonly Written[], since: Work): Promise<void> {
  const isAtWork = ({ acknowledged, reconnects }: Work) =>
    acknowledged >= since.acknowledged + 5 && reconnects >= since.reconnects + 2;
  await until(() => workOf(written), isAtWork, SETTLE_MS);
}

interface Work {
  acknowledged: number;
  reconnects: number;
}

const workOf = (written: readonly Written[]): Work => ({
  acknowledged: written.flatMap(({ writer }) => writer.sent).filter(({ seq }) => seq !== undefined)
    .length,
  reconnects: written
    .flatMap(({ followers }) => followers)
    .reduce((sum, { connections }) => sum + connections - 1, 0),
});

async function write(harness: Harness, random: () => number, index: number): Promise<Written> {
  const { sessionId } = await harness.api.create({ prompt: 'wait' });
  const where = { url: harness.plane.url, token: LOCAL_TOKEN, sessionId };
  const followers = (['socket', 'stream'] as const).map((kind) => new Follower(where, kind));
  const own = seededRandom(between(random, 0, 2 ** 31));
  return { sessionId, writer: new Writer(harness.api, sessionId, own, `w${index}`), followers };
}

async function settle(
  harness: Harness,
  written: Written[],
  idle: SessionId[],
  run: { kills: number; seed: number },
): Promise<ChaosCounters> {
  const { api } = harness;
  let verdict = NO_FAULTS;
  let wrongReceipts = 0;
  let events = 0;
  const sandboxes = await Promise.all(
    [...written.map(({ sessionId }) => sessionId), ...idle].map((sessionId) =>
      restingSandboxes(harness, sessionId),
    ),
  );
  for (const { sessionId, writer, followers } of written) {
    const { seq } = (await api.view(sessionId)).state;
    for (const sent of sample(writer.sent)) if (!(await isKnown(harness, sent))) wrongReceipts += 1;
    if ((await api.view(sessionId)).state.seq !== seq) wrongReceipts += 1;
    for (const follower of followers)
      await until(
        () => follower.seq,
        (seen) => seen >= seq,
        SETTLE_MS,
      ).catch(() => undefined);
    const log = await api.log(sessionId);
    events += log.length;
    const { state } = await api.view(sessionId);
    verdict = add(verdict, judge(log, writer.sent, followers, state));
    for (const follower of followers) await follower.close();
  }
  const sent = written.flatMap(({ writer }) => writer.sent);
  return {
    ...run,
    sent: sent.length,
    ...workOf(written),
    repeatedRequests: written.reduce((sum, { writer }) => sum + writer.repeated, 0),
    refused: written.reduce((sum, { writer }) => sum + writer.refused, 0),
    events,
    ...verdict,
    wrongReceipts,
    idleSessions: idle.length,
    missedAlarms: sandboxes.slice(written.length).filter((count) => count !== 0).length,
    orphans: sandboxes.slice(0, written.length).filter((count) => count !== 1).length,
    unreported: await countUnreported(harness, written),
  };
}

/** The number of sandboxes of a settled session: one while prompts wait, none after a long idle time; -1 if it never settles. */
async function restingSandboxes(harness: Harness, sessionId: SessionId): Promise<number> {
  const { state } = await harness.api.view(sessionId);
  const wanted = state.queue.length > 0 ? 'running' : 'none';
  const rested = await until(
    async () => (await harness.api.view(sessionId)).state.sandbox.status,
    (status) => status === wanted,
    SETTLE_MS,
  ).catch(() => 'restless');
  return rested === 'restless' ? -1 : (await harness.sandboxes.list(sessionId)).length;
}

const sample = (sent: Sent[]): Sent[] =>
  sent.filter(({ seq }, index) => seq !== undefined && index % 7 === 0).slice(-100);

/** Repeats a request: it must get the same receipt. */
async function isKnown(harness: Harness, { method, path, body, seq }: Sent): Promise<boolean> {
  const { status, json } = await harness.api.call(method, path, body);
  return status < 300 && (json as { seq: number }).seq === seq;
}

async function countUnreported(harness: Harness, written: Written[]): Promise<number> {
  let count = 0;
  for (const { sessionId } of written) {
    const { title, status } = (await harness.api.view(sessionId)).summary;
    const listed = async () =>
      ((await harness.api.ask('GET', '/sessions?limit=100')) as ListedSessions).sessions.find(
        (session) => session.sessionId === sessionId,
      );
    await until(
      listed,
      (found) => found?.title === title && found.status === status,
      SETTLE_MS,
    ).catch(() => (count += 1));
  }
  return count;
}

interface ListedSessions {
  sessions: { sessionId: string; title: string; status: string }[];
}
