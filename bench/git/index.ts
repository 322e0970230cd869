/** Git in a session: clones against git's own best, turn end to pull request, the gateway against a direct connection. */
import { join } from 'node:path';
import { mirrorTemplate } from '../../apps/control-plane/src/git/index.ts';
import { startSandboxed } from '../../apps/control-plane/test/git/support/sandboxed.ts';
import { type Report, goal, round } from '../report.ts';
import { cloneTimes } from './clones.ts';
import { crowd, deliveryTimes } from './delivery.ts';
import { gatewayTimes } from './gateway.ts';
import { type Limits, type Part, runPart } from './part.ts';
import { makeLargeRepository } from './repository.ts';

const TIMES = 5;
const HEAVY_TIMES = 3;
const CROWD = 8;

export async function benchGit(): Promise<Report> {
  const all = await startSandboxed();
  const until = deadlines();
  try {
    const source = join(all.data, 'large');
    const start = { source, template: await mirrorTemplate(source) };
    const made = await runPart('repository', until(40), () => makeLargeRepository(source));
    const clones = await runPart(
      'clones',
      until(100),
      (part) => needs(made) ?? cloneTimes(part, all, source, TIMES),
    );
    const delivery = await runPart(
      'delivery',
      until(140),
      (part) => needs(made) ?? deliveryTimes(part, all, start, TIMES),
    );
    const together = await runPart(
      'crowd',
      until(180),
      (part) => needs(made) ?? crowd(part, all, start, CROWD),
    );
    const gateway = await runPart('gateway', until(230), (part) =>
      gatewayTimes(part, all, HEAVY_TIMES),
    );
    return {
      repository: made.findings,
      clones: clones.findings,
      delivery: delivery.findings,
      crowd: together.findings,
      gateway: gateway.findings,
      goals: [
        goal('clone into a sandbox with a warm mirror (ms, p50)', clones.p50('warm'), 1_200),
        goal(
          'the same / plain git clone --reference',
          round(clones.p50('warm') / clones.p50('reference')),
          1.5,
        ),
        goal('turn end to draft pull request (ms, p50)', delivery.p50('first'), 500),
        goal('turn end to push, later turns (ms, p50)', delivery.p50('later'), 500),
        goal(
          'gateway / direct, clone of 200 MB',
          round(gateway.ratio('gatewayClone', 'directClone')),
          1.15,
        ),
        goal(
          'gateway / direct, push of 200 MB',
          round(gateway.ratio('gatewayPush', 'directPush')),
          1.15,
        ),
        goal('growth of the gateway’s memory (MB)', found(gateway.findings['memoryGrowthMb']), 64),
        goal(`lost of ${CROWD} sessions that push at once`, found(together.findings['lost']), 0),
      ],
    };
  } finally {
    await all.close();
  }
}

/** Figures of a partial repository would mislead. */
function needs({ findings }: Part): Promise<never> | undefined {
  if (findings.failed === undefined) return undefined;
  return Promise.reject(new Error('there is no repository to measure with'));
}

/** NaN, which reaches no goal, for a missing figure. */
function found(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

/**
 * The whole run must end within four minutes, even on a slow machine. Deadlines count from the start, so that each part
 * leaves its unused time to the next; a third of the available time suffices, and the rest is for slow machines.
 */
function deadlines() {
  const startMs = performance.now();
  return (seconds: number): Limits => {
    const leftMs = startMs + seconds * 1_000 - performance.now();
    const deadlineMs = Math.max(1_000, Math.round(leftMs));
    return { enoughMs: deadlineMs / 3, deadlineMs };
  };
}
