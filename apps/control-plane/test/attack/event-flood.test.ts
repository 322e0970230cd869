import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FloodedWorld, openFloodedWorld } from '../support/flooded-world.ts';
import { floodOf } from '../support/flooding-agent.ts';
import { MemoryPeak } from '../support/memory-peak.ts';

const MINUTE_MS = 60_000;
const IS_FULL = process.env['SHIP_ATTACK'] === 'full';
const MAX_GROWTH_MB = 150;
const MB = 1_000_000;

/** fairness.test.ts measures the effect on other sessions. */
describe('attack: a flood from the agent', { timeout: 4 * MINUTE_MS }, () => {
  let flooded: FloodedWorld;

  beforeAll(async () => {
    flooded = await openFloodedWorld(1);
  }, 4 * MINUTE_MS);
  afterAll(() => flooded.close(), MINUTE_MS);

  const objects = () => sizeOf(join(flooded.world.folder, 'plane', 'objects'));
  const artifacts = () => sizeOf(join(flooded.world.folder, 'plane', 'artifacts'));

  const attack = async (prompt: string) => {
    const {
      world,
      sessionIds: [sessionId = ''],
    } = flooded;
    const before = { objects: objects(), artifacts: artifacts() };
    const { seq } = await world.state(sessionId);
    const peak = new MemoryPeak(world.parts.plane.pid);
    const { states } = await flooded.attack(prompt);
    const [now, kept] = [objects(), artifacts()];
    return {
      grownMb: peak.stop(),
      objectsMb: (now.bytes - before.objects.bytes) / MB,
      artifactsMb: (kept.bytes - before.artifacts.bytes) / MB,
      activity: states[0]?.activity,
      limited: (await world.events(sessionId)).flatMap((event) =>
        event.seq > seq && event.type === 'recording.limited' ? [event.data] : [],
      ),
    };
  };

  it('[AT-H42] attack: a flood of events grows the database and the memory', async () => {
    const seen = await attack(IS_FULL ? floodOf(20_000, 10_000) : floodOf(2_500, 40_000));
    expect(seen.objectsMb).toBeLessThan(50);
    expect(seen.grownMb).toBeLessThan(MAX_GROWTH_MB);
    // The turn stops, and the log counts the omitted events.
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
