/** Runs sessions for a while and kills components at random; at the end nothing may be lost, stuck or left behind. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionId, SessionState } from '@ship/protocol';
import { between, seededRandom } from '../../../../../scripts/testing/random.ts';
import { EXPECTED_FILES, PROMPT, chaosRule, makeRepository } from '../agent-chaos/task.ts';
import { type Victim, killVictim } from '../agent-chaos/victims.ts';
import { branchFaults } from '../delivery.ts';
import { diskMb, readMeter } from '../meter.ts';
import { sandboxFolders } from '../processes.ts';
import { untilIdle, retryUntilAnswered } from '../sessions.ts';
import { MODEL, ShipHost } from '../ship-host.ts';
import { type IdleReading, leaks } from './judge.ts';

const CONCURRENCY = 3;
/** Longer than any recovery: after this time a session is stuck. */
const TIMEOUT_MS = 6 * 60_000;
/** Components of one session, killed at any time; shared ones only in the first phase, because their memory is compared. */
const SMALL: readonly Victim[] = ['agent', 'sandbox', 'sandbox and files'];
const ALL: readonly Victim[] = [...SMALL, 'control plane', 'host'];
const LARGE_KILLS_SHARE = 0.4;

export interface SoakOptions {
  minutes: number;
  seed: number;
  say?: (text: string) => void;
}

export interface SoakOutcome {
  sessions: number;
  finished: number;
  kills: Record<string, number>;
  before: IdleReading;
  after: IdleReading;
  faults: string[];
}

interface Soak {
  host: ShipHost;
  random: () => number;
  endsAtMs: number;
  say: (text: string) => void;
  outcome: { sessions: number; finished: number; kills: Record<string, number>; faults: string[] };
  atWork: Set<SessionId>;
}

export async function runSoak({ minutes, seed, say }: SoakOptions): Promise<SoakOutcome> {
  const host = await ShipHost.open({ rules: [chaosRule] });
  const outcome = { sessions: 0, finished: 0, kills: {}, faults: [] as string[] };
  try {
    await host.client.changeSettings({ warm: { size: 0 } });
    const durationMs = minutes * 60_000;
    const common = { host, say: say ?? (() => undefined), outcome, atWork: new Set<SessionId>() };
    // From the phase's own start: on a slow machine the previous one ends late.
    const phase = (part: number, share: number) => ({
      ...common,
      random: seededRandom(seed + part),
      endsAtMs: Date.now() + durationMs * share,
    });
    // First kills of everything, then an idle reading to compare with, then only small kills.
    const first = phase(0, LARGE_KILLS_SHARE);
    await Promise.all([...workers(first), kills(first, ALL)]);
    const before = await idleReading(host, outcome.faults);
    common.say(`at rest: ${JSON.stringify(before)}`);
    const second = phase(1, 1 - LARGE_KILLS_SHARE);
    await Promise.all([...workers(second), kills(second, SMALL)]);
    const after = await idleReading(host, outcome.faults);
    common.say(`at rest: ${JSON.stringify(after)}`);
    outcome.faults.push(...leaks(before, after));
    return { ...outcome, before, after };
  } finally {
    outcome.faults.push(...(await host.close()).map((what) => `left behind: ${what}`));
  }
}

const workers = (soak: Soak): Promise<void>[] =>
  Array.from({ length: CONCURRENCY }, async () => {
    while (Date.now() < soak.endsAtMs && !soak.host.isClosing) await oneSession(soak);
  });

/** A session's whole life: created, worked, perhaps prompted again, perhaps deleted early, and deleted. */
async function oneSession(soak: Soak): Promise<void> {
  const { host, random, outcome, atWork, say } = soak;
  const number = outcome.sessions;
  outcome.sessions += 1;
  const repository = host.repository(`soak-${number}`);
  await makeRepository(repository);
  const requestId = `soak-session-${number}`;
  const asked = { repository, prompt: PROMPT, model: MODEL };
  const { sessionId } = await retryUntilAnswered('a new session', () =>
    host.client.createSession(asked, { requestId }),
  );
  atWork.add(sessionId);
  try {
    if (random() < 0.15) await leaveEarly(soak, sessionId);
    else await workThrough(soak, sessionId, repository, number);
  } catch (error) {
    outcome.faults.push(`session ${number}: ${error instanceof Error ? error.message : 'failed'}`);
  } finally {
    atWork.delete(sessionId);
  }
  say(`session ${number} has gone`);
}

/** Deletes the session during its work. */
async function leaveEarly({ host, random, outcome }: Soak, sessionId: SessionId): Promise<void> {
  await sleep(between(random, 0, 8_000));
  await retryUntilAnswered('a deletion', () => host.client.deleteSession(sessionId));
  outcome.finished += 1;
}

async function workThrough(
  { host, random, outcome }: Soak,
  sessionId: SessionId,
  repository: string,
  number: number,
): Promise<void> {
  let state = await untilIdle(host, sessionId, { timeoutMs: TIMEOUT_MS });
  if (state?.activity.status === 'idle' && random() < 0.3) {
    const requestId = `soak-session-${number}-again`;
    await retryUntilAnswered('a prompt', () =>
      host.client.prompt(sessionId, PROMPT, { requestId }),
    );
    state = await untilIdle(host, sessionId, { turns: 2, timeoutMs: TIMEOUT_MS });
  }
  const faults = [
    ...(await endFaults(host, sessionId, state)),
    ...(await branchFaults(repository, state?.git.branch ?? null, EXPECTED_FILES)),
  ];
  outcome.faults.push(...faults.map((fault) => `session ${number}: ${fault}`));
  if (faults.length === 0) outcome.finished += 1;
  await retryUntilAnswered('a deletion', () => host.client.deleteSession(sessionId));
}

async function endFaults(
  host: ShipHost,
  sessionId: SessionId,
  ended: SessionState | undefined,
): Promise<string[]> {
  if (ended?.activity.status === 'idle') return [];
  const { state } = await retryUntilAnswered('its state', () => host.client.session(sessionId));
  const { activity, sandbox, stages } = state;
  const how = ended === undefined ? 'it is stuck' : 'it failed';
  return [`${how}: ${JSON.stringify({ activity, sandbox, stages })}`];
}

async function kills(soak: Soak, victims: readonly Victim[]): Promise<void> {
  const { host, random, outcome, atWork, say } = soak;
  for (;;) {
    await sleep(between(random, 8_000, 25_000));
    if (Date.now() > soak.endsAtMs || host.isClosing) return;
    const victim = victims[between(random, 0, victims.length)] ?? 'agent';
    const working = [...atWork];
    const sessionId = working[between(random, 0, working.length)];
    if (sessionId === undefined) continue;
    try {
      await killVictim(host, sessionId, victim, between(random, 0, 1_000));
      outcome.kills[victim] = (outcome.kills[victim] ?? 0) + 1;
      say(`${victim} killed`);
    } catch {
      // The session is over, and there is nothing left to kill.
    }
  }
}

async function idleReading(host: ShipHost, faults: string[]): Promise<IdleReading> {
  faults.push(...(await host.untilEmpty()).map((what) => `left of a session: ${what}`));
  return {
    ...readMeter(host),
    diskMb: diskMb(host),
    sandboxFolders: sandboxFolders(host.data).length,
  };
}
