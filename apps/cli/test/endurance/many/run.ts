/** Many concurrent sessions on one machine: they queue, none is forgotten, all finish. */
import type { SessionId } from '@ship/protocol';
import { EXPECTED_FILES, PROMPT, chaosRule, makeRepository } from '../agent-chaos/task.ts';
import { branchFaults } from '../delivery.ts';
import { ProcessorClock, readMeter } from '../meter.ts';
import { untilIdle } from '../sessions.ts';
import { MODEL, ShipHost } from '../ship-host.ts';
import { percentile } from '../statistics.ts';

const SAMPLE_INTERVAL_MS = 3_000;
/** Timeout per session: many sessions take longer on a slow machine. */
const TIMEOUT_MS = 120_000;
export interface ManyOutcome {
  sessions: number;
  maxWorking: number;
  seconds: number;
  waitedP50Ms: number;
  waitedMaxMs: number;
  /** Maximum distance between a session's creation order and its start order. */
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
    // Prewarmed agents would only use processor time.
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
    const timeoutMs = TIMEOUT_MS * sessions;
    const turns = await Promise.all(
      made.map(async (sessionId, index) => {
        const state = await untilIdle(host, sessionId, { timeoutMs });
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
    // Sessions ask for a turn when their sandbox is ready, so neighbours may swap; no session may wait for all later ones.
    if (displacement > concurrency.maxWorking)
      faults.push(`one began ${displacement} places away from its turn`);
    for (const sessionId of made) await host.client.deleteSession(sessionId);
    faults.push(...(await host.untilEmpty()));
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

/** `turnStartedAt` is in creation order; compares it with the order of starts. */
export function displacementOf(turnStartedAt: readonly number[]): number {
  const order = turnStartedAt
    .map((at, index) => ({ at, index }))
    .toSorted((a, b) => a.at - b.at || a.index - b.index);
  return Math.max(0, ...order.map(({ index }, position) => Math.abs(index - position)));
}

function watching(host: ShipHost) {
  const clock = new ProcessorClock();
  let peakMb = 0;
  let peakWorking = 0;
  const sample = async () => {
    clock.sample(host);
    peakMb = Math.max(peakMb, readMeter(host).allMb);
    const { sessions } = await host.client.sessions({ status: ['working'], limit: 100 });
    peakWorking = Math.max(peakWorking, sessions.length);
  };
  // The next sample makes up for a failed one.
  const timer = setInterval(() => void sample().catch(() => undefined), SAMPLE_INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      return { peakMb, peakWorking, processorSeconds: clock.total };
    },
  };
}
