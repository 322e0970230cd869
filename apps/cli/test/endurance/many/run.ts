/** Many sessions at once on one machine: they queue, none is forgotten, all finish. */
import type { SessionId } from '@ship/protocol';
import { EXPECTED_FILES, PROMPT, chaosRule, makeRepository } from '../agent-chaos/task.ts';
import { branchFaults } from '../delivery.ts';
import { ProcessorClock, readMeter } from '../meter.ts';
import { rested } from '../sessions.ts';
import { MODEL, ShipHost } from '../ship-host.ts';
import { percentile } from '../statistics.ts';

const LOOK_MS = 3_000;
/** For each session: a slow machine takes longer for many, not for ever. */
const PATIENCE_MS = 120_000;
export interface ManyOutcome {
  sessions: number;
  maxWorking: number;
  seconds: number;
  waitedP50Ms: number;
  waitedMaxMs: number;
  /** How many places a session was ahead of or behind its turn, at most. */
  displacement: number;
  peakWorking: number;
  peakMb: number;
  processorSeconds: number;
  faults: string[];
}

export async function runMany(
  sessions: number,
  say: (text: string) => void = () => undefined,
): Promise<ManyOutcome> {
  const host = await ShipHost.open({ rules: [chaosRule] });
  const faults: string[] = [];
  try {
    // Agents that wait would only take the machine's time.
    const { concurrency } = await host.client.changeSettings({ warm: { size: 0 } });
    const startedAtMs = Date.now();
    const made: SessionId[] = [];
    for (let i = 0; i < sessions; i++) {
      const repository = host.repository(`many-${i}`);
      await makeRepository(repository);
      const asked = { repository, prompt: PROMPT, model: MODEL };
      made.push((await host.client.createSession(asked)).sessionId);
    }
    const watch = watching(host);
    const patienceMs = PATIENCE_MS * sessions;
    const turns = await Promise.all(
      made.map(async (sessionId, index) => {
        const state = await rested(host, sessionId, { patienceMs });
        if (state?.activity.status !== 'idle')
          faults.push(`session ${index} ends ${JSON.stringify(state?.activity ?? 'never')}`);
        else {
          const repository = host.repository(`many-${index}`);
          const wrong = await branchFaults(repository, state.git.branch, EXPECTED_FILES);
          faults.push(...wrong.map((fault) => `session ${index}: ${fault}`));
        }
        say(`session ${index} has ended`);
        const { events } = await host.client.history(sessionId, { after: 0, limit: 200 });
        return events.find(({ type }) => type === 'turn.started')?.at ?? Number.MAX_SAFE_INTEGER;
      }),
    );
    const seconds = Math.round((Date.now() - startedAtMs) / 1_000);
    const measured = watch.stop();
    if (measured.peakWorking > concurrency.maxWorking)
      faults.push(`${measured.peakWorking} worked at once, more than ${concurrency.maxWorking}`);
    const displacement = displacementOf(turns);
    // The first ones ask when their sandbox is there, so neighbours may change places; nobody waits for all who came later.
    if (displacement > concurrency.maxWorking)
      faults.push(`one began ${displacement} places away from its turn`);
    for (const sessionId of made) await host.client.deleteSession(sessionId);
    faults.push(...(await host.emptied()));
    const waits = turns.map((at) => at - startedAtMs);
    return {
      sessions,
      maxWorking: concurrency.maxWorking,
      seconds,
      waitedP50Ms: percentile(waits, 50),
      waitedMaxMs: percentile(waits, 100),
      displacement,
      ...measured,
      faults,
    };
  } finally {
    faults.push(...(await host.close()));
  }
}

/** In the order in which they asked, each at the place at which its turn came. */
export function displacementOf(turnStartedAt: readonly number[]): number {
  const order = turnStartedAt
    .map((at, index) => ({ at, index }))
    .toSorted((a, b) => a.at - b.at || a.index - b.index);
  return Math.max(0, ...order.map(({ index }, place) => Math.abs(index - place)));
}

function watching(host: ShipHost) {
  const clock = new ProcessorClock();
  let peakMb = 0;
  let peakWorking = 0;
  const look = async () => {
    clock.look(host);
    peakMb = Math.max(peakMb, readMeter(host).allMb);
    const { sessions } = await host.client.sessions({ status: ['working'], limit: 100 });
    peakWorking = Math.max(peakWorking, sessions.length);
  };
  // One that fails is made up for by the next.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      return { peakMb, peakWorking, processorSeconds: clock.total };
    },
  };
}
