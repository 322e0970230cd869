/** Git on the way of a session: clones beside git's own best, turn end to pull request, the gateway beside a direct line. */
import { join } from 'node:path';
import { mirrorTemplate } from '../../apps/control-plane/src/git/index.ts';
import { startSandboxed } from '../../apps/control-plane/test/git/support/sandboxed.ts';
import { type Report, goal, round } from '../table.ts';
import { cloneTimes } from './clones.ts';
import { crowd, deliveryTimes } from './delivery.ts';
import { gatewayTimes } from './gateway.ts';
import { makeLargeRepository } from './repository.ts';

const TIMES = 5;
const HEAVY_TIMES = 3;
const CROWD = 8;

export async function benchGit(): Promise<Report> {
  const all = await startSandboxed();
  try {
    const source = await makeLargeRepository(join(all.data, 'large'));
    const template = await mirrorTemplate(source);
    const clones = await cloneTimes(all, source, TIMES);
    const delivery = await deliveryTimes(all, source, template, TIMES);
    const together = await crowd(all, source, template, CROWD);
    const gateway = await gatewayTimes(all, HEAVY_TIMES);
    const toReference = round(clones.warm.p50 / clones.reference.p50);
    return {
      clones,
      delivery,
      crowd: together,
      gateway,
      goals: [
        goal('clone into a sandbox with a warm mirror (ms, p50)', clones.warm.p50, 1_200),
        goal('the same / plain git clone --reference', toReference, 1.5),
        goal('turn end to draft pull request (ms, p50)', delivery.first.p50, 500),
        goal('turn end to push, later turns (ms, p50)', delivery.later.p50, 500),
        goal('gateway / direct, clone of 200 MB', round(gateway.cloneRatio), 1.15),
        goal('gateway / direct, push of 200 MB', round(gateway.pushRatio), 1.15),
        goal('growth of the gateway’s memory (MB)', gateway.memoryGrowthMb, 64),
        goal(`lost of ${CROWD} sessions that push at once`, together.lost, 0),
      ],
    };
  } finally {
    await all.close();
  }
}
