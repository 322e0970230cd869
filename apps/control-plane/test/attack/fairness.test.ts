import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FloodedWorld, type SeenBeside, openFloodedWorld } from '../support/flooded-world.ts';
import { fieldsOf, floodOf, historyOf, noiseOf } from '../support/flooding-agent.ts';

const MINUTE_MS = 60_000;
/** Several floods at once: each stays within its share, and together they must not take the whole thread. */
const ATTACKERS = 3;
/** A little below the limit for one event. */
const LARGEST = 3_900_000;

const SHORT: Record<string, string> = {
  // The most expensive kind of event at the limit.
  'events of empty fields': fieldsOf(3, LARGEST),
};

const FULL: Record<string, string> = {
  'many calls': floodOf(20_000, 10_000),
  'long outputs': floodOf(260, 200_000),
  'outputs as long as an event may be': floodOf(20, LARGEST),
  'events that say nothing': noiseOf(20_000, 1_000),
  'long events that say nothing': noiseOf(20, LARGEST),
  'events of empty fields': fieldsOf(10, LARGEST),
  // Refused each time until the turn fails, which takes a minute and a half.
  'a conversation of empty fields': historyOf(3, 20_000_000),
};

const ATTACKS = process.env['SHIP_ATTACK'] === 'full' ? FULL : SHORT;

/**
 * How much a flood may add to the 90th percentile of another session's calls; without fairness it adds seconds. On a busy
 * machine a flood takes longer too, so the limit grows with the duration of the same call to an idle control plane.
 */
const MAX_ADDED_MS = 500;
const NOISE_FACTOR = 10;

/** Prints the measured values into the log of the test run. */
const report = (name: string, seen: SeenBeside) =>
  process.stdout.write(`fairness: ${name}: ${JSON.stringify(seen)}\n`);

describe('attack: floods from several agents', { timeout: 6 * MINUTE_MS }, () => {
  let flooded: FloodedWorld;
  beforeAll(async () => {
    flooded = await openFloodedWorld(ATTACKERS);
  }, 4 * MINUTE_MS);
  afterAll(() => flooded.close(), MINUTE_MS);

  it.each(Object.keys(ATTACKS))(
    '[AT-H44] attack: three sessions keep another one waiting with %s',
    async (name) => {
      const { seen } = await flooded.attack(ATTACKS[name] ?? '');
      report(name, seen);
      const { bystander, control } = seen;
      expect(bystander.p90).toBeLessThan(MAX_ADDED_MS + NOISE_FACTOR * control.p90);
    },
  );
});
