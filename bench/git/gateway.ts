import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sandboxed } from '../../apps/control-plane/test/git/support/sandboxed.ts';
import { gatewayRemotes } from '../../apps/control-plane/src/git/index.ts';
import { SECRET } from '../../apps/control-plane/test/git/support/control-plane.ts';
import { createId } from '@ship/protocol';
import { spread, timed } from '../statistics.ts';
import { directRemote } from './clones.ts';
import { makeHeavyCommit } from './repository.ts';

const run = promisify(execFile);
const MEGABYTES = 200;
const SAMPLE_MS = 50;

/** 200 MB both ways, through the gateway and straight to the same forge, in turns; and what the gateway's memory does. */
export async function gatewayTimes(all: Sandboxed, times: number) {
  const folder = join(all.data, 'heavy');
  mkdirSync(folder);
  await run('git', ['init', '-q', '-b', 'main', folder]);
  makeHeavyCommit(folder, MEGABYTES);
  const { forge } = (await all.session(folder)).session.deps;
  const direct = directRemote(all, `${forge.owner}/${forge.name}`);
  const parts = { secret: SECRET, door: all.plane.url, forge, now: Date.now };
  const gateway = await gatewayRemotes({ ...parts, sessionId: createId('ses') })('ship-bench');
  const target = join(all.data, 'heavy-clone');
  const clone = (remote: string) => {
    rmSync(target, { recursive: true, force: true });
    return timed(() => run('git', ['clone', '-q', '--no-checkout', remote, target]));
  };
  const push = async (remote: string) => {
    makeHeavyCommit(target, MEGABYTES);
    const argv = ['-c', 'core.compression=0', '-C', target, 'push', '-q', '-f', remote];
    return timed(() => run('git', [...argv, 'HEAD:refs/heads/ship-bench']));
  };
  const memory = new Memory(all.plane.pid);
  const seen = { directClone: [0], gatewayClone: [0], directPush: [0], gatewayPush: [0] };
  for (const values of Object.values(seen)) values.pop();
  for (let i = 0; i < times; i += 1) {
    seen.directClone.push(await clone(direct));
    seen.gatewayClone.push(await memory.during(() => clone(gateway)));
    seen.directPush.push(await push(direct));
    seen.gatewayPush.push(await memory.during(() => push(gateway)));
  }
  return {
    megabytes: MEGABYTES,
    directClone: spread(seen.directClone),
    gatewayClone: spread(seen.gatewayClone),
    directPush: spread(seen.directPush),
    gatewayPush: spread(seen.gatewayPush),
    // The least of each: noise only ever adds.
    cloneRatio: Math.min(...seen.gatewayClone) / Math.min(...seen.directClone),
    pushRatio: Math.min(...seen.gatewayPush) / Math.min(...seen.directPush),
    memoryGrowthMb: Math.round(memory.growthKb / 1024),
  };
}

class Memory {
  readonly #pid: number;
  readonly #beforeKb: number;
  #peakKb = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#beforeKb = this.#residentKb();
  }

  get growthKb(): number {
    return Math.max(0, this.#peakKb - this.#beforeKb);
  }

  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    const timer = setInterval(() => {
      this.#peakKb = Math.max(this.#peakKb, this.#residentKb());
    }, SAMPLE_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }

  #residentKb(): number {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.#pid}/status`, 'utf8'))?.[1]);
  }
}
