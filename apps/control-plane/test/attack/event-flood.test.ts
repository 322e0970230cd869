import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SessionReceipt, type SessionState } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, write } from '../git/support/git.ts';
import { FLOODING_REPOSITORY, floodOf } from '../support/flooding-agent.ts';
import { MemoryPeak } from '../support/memory-peak.ts';
import { WholeWorld } from '../support/whole-world.ts';

const MINUTE_MS = 60_000;
const IS_FULL = process.env['SHIP_ATTACK'] === 'full';
const MAX_GROWTH_MB = 150;
const MB = 1_000_000;
/** Generous for a machine that does much else at the time; a thread that is blocked takes far longer. */
const PROMPT_MS = 10_000;
/** Of looks at another session meanwhile: without fairness there are only a handful before the turn is over. */
const MIN_PROBES = 10;

describe('attack: a flood from the agent', { timeout: 4 * MINUTE_MS }, () => {
  let world: WholeWorld;
  let sessionId: string;
  let bystander: string;

  beforeAll(async () => {
    world = await WholeWorld.open([]);
    const repository = join(world.folder, 'flooding');
    await write(repository, FLOODING_REPOSITORY);
    await git(repository, 'init', '-q', '-b', 'main');
    await git(repository, 'add', '-A');
    await git(repository, 'commit', '-q', '-m', 'first');
    const body = { requestId: crypto.randomUUID(), repository, title: 'Bystander' };
    const made = await world.call('POST', '/api/sessions', body);
    bystander = SessionReceipt.parse(await made.json()).sessionId;
    sessionId = await world.newSession(repository, floodOf(1, 10));
    // The agent's place is taken: its first turn ended well, by the word of the program that floods.
    await world.rest(sessionId);
    const texts = (await world.events(sessionId)).filter(({ type }) => type === 'text.finished');
    if (texts.length !== 1) throw new Error(`the agent was not replaced: ${texts.length} texts`);
  }, 4 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const objects = () => sizeOf(join(world.folder, 'plane', 'objects'));
  const artifacts = () => sizeOf(join(world.folder, 'plane', 'artifacts'));

  /** One turn of the attacker while somebody else looks at another session all the time. */
  const attack = async (prompt: string) => {
    const before = { objects: objects(), artifacts: artifacts() };
    const { seq } = await world.state(sessionId);
    const peak = new MemoryPeak(world.parts.plane.pid);
    const { turnsFinished } = await world.state(sessionId);
    const body = { requestId: crypto.randomUUID(), text: prompt };
    await world.call('POST', `/api/sessions/${sessionId}/prompts`, body);
    const probesMs: number[] = [];
    let activity: SessionState['activity'] | undefined;
    for (;;) {
      const startedAt = Date.now();
      await world.state(bystander);
      probesMs.push(Date.now() - startedAt);
      const state = await world.state(sessionId);
      const { status } = state.activity;
      if (state.turnsFinished > turnsFinished && status !== 'working') {
        activity = state.activity;
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const [now, kept] = [objects(), artifacts()];
    return {
      grownMb: peak.stop(),
      objectsMb: (now.bytes - before.objects.bytes) / MB,
      artifactsMb: (kept.bytes - before.artifacts.bytes) / MB,
      artifacts: kept.files - before.artifacts.files,
      probesMs,
      activity,
      limited: (await world.events(sessionId)).flatMap((event) =>
        event.seq > seq && event.type === 'recording.limited' ? [event.data] : [],
      ),
    };
  };

  it('[AT-H42] attack: a flood of events grows the database and keeps everybody else waiting', async () => {
    const seen = await attack(IS_FULL ? floodOf(20_000, 10_000) : floodOf(2_500, 40_000));
    expect(seen.objectsMb).toBeLessThan(50);
    expect(seen.grownMb).toBeLessThan(MAX_GROWTH_MB);
    const slow = seen.probesMs.filter((ms) => ms > PROMPT_MS);
    expect(seen.probesMs.length).toBeGreaterThan(MIN_PROBES);
    expect(slow.length).toBeLessThanOrEqual(seen.probesMs.length / 10);
    // Stopped, with a word on what was left out.
    expect(seen.activity).toMatchObject({
      status: 'paused',
      pause: { reason: 'output-limit' },
    });
    expect(seen.limited).toMatchObject([
      { scope: 'turn', limit: 'bytes', isFinal: false },
      { scope: 'turn', limit: 'bytes', isFinal: true },
    ]);
    expect(seen.limited[1]?.cut.events).toBeGreaterThan(500);
  });

  it('[AT-H43] attack: a flood of long outputs fills the disk with artifacts', async () => {
    const seen = await attack(floodOf(260, 200_000));
    expect(seen.artifactsMb).toBeLessThan(45);
    expect(seen.grownMb).toBeLessThan(MAX_GROWTH_MB);
    const last = seen.limited.at(-1);
    expect(last).toMatchObject({ scope: 'turn', limit: 'artifacts', isFinal: true });
    expect(last?.cut.artifacts).toBeGreaterThan(50);
  });
});

function sizeOf(folder: string): { files: number; bytes: number } {
  let files = 0;
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    files += 1;
    bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return { files, bytes };
}
