import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sandboxed } from '../../apps/control-plane/test/git/support/sandboxed.ts';
import { gatewayRemotes } from '../../apps/control-plane/src/git/index.ts';
import type { Holder } from '../../apps/control-plane/test/git/support/bearer.ts';
import { SECRET } from '../../apps/control-plane/test/git/support/control-plane.ts';
import { timed } from '../statistics.ts';
import { directRemote } from './clones.ts';
import { ProcessMonitor } from './process-monitor.ts';
import type { Part } from './part.ts';
import { makeHeavyRepository } from './repository.ts';

const run = promisify(execFile);
const MEGABYTES = 200;
const BRANCH = 'ship-bench';

/** 200 MB both ways, through the gateway and directly to the same forge, alternating; and the gateway's resource use. */
export async function gatewayTimes(part: Part, all: Sandboxed, times: number) {
  const { signal, findings } = part;
  const folder = join(all.data, 'heavy');
  await makeHeavyRepository(folder, MEGABYTES);
  findings['megabytes'] = MEGABYTES;
  const gateway = gatewayAt(all, await all.plane.holder());
  const target = join(all.data, 'heavy-clone');
  const clone = (remote: string) => {
    rmSync(target, { recursive: true, force: true });
    const argv = ['clone', '-q', '--bare', '--single-branch', '--branch', BRANCH, remote, target];
    return timed(() => run('git', argv, { signal }));
  };
  const push = async (remote: string) => {
    const argv = ['-C', folder, 'push', '-q', remote, `main:refs/heads/${BRANCH}`];
    return timed(() => run('git', argv, { signal }));
  };
  const monitor = new ProcessMonitor(all.plane.pid);
  let count = 0;
  await part.rounds(times, async () => {
    // Each push goes to an empty repository: one that already has the objects compares them instead of storing them.
    const [near, far] = await Promise.all([
      newRepository(all, `direct-${count}`),
      newRepository(all, `gateway-${count++}`),
    ]);
    const directPush = await push(directRemote(all, near));
    const pushed = await monitor.during(async () => push(await gateway(far)));
    const directClone = await clone(directRemote(all, far));
    const cloned = await monitor.during(async () => clone(await gateway(far)));
    findings['memoryGrowthMb'] = monitor.growthMb;
    await Promise.all([near, far].map((name) => removeRepository(all, name)));
    return {
      directPush,
      gatewayPush: pushed.value,
      gatewayPushCpu: pushed.cpuMs,
      directClone,
      gatewayClone: cloned.value,
      gatewayCloneCpu: cloned.cpuMs,
    };
  });
}

function gatewayAt({ plane }: Sandboxed, holder: Holder) {
  return (fullName: string): Promise<string> => {
    const [owner = '', name = ''] = fullName.split('/');
    const forge = { kind: 'local' as const, owner, name };
    const parts = { secret: SECRET, door: plane.url, forge, now: Date.now };
    return gatewayRemotes({ ...parts, ...holder })(BRANCH);
  };
}

async function ask({ forge, token }: Sandboxed, method: string, path: string, body?: object) {
  const response = await fetch(`${forge.apiUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response;
}

async function newRepository(all: Sandboxed, name: string): Promise<string> {
  const made = await ask(all, 'POST', '/user/repos', { name });
  return ((await made.json()) as { full_name: string }).full_name;
}

async function removeRepository(all: Sandboxed, fullName: string): Promise<void> {
  await ask(all, 'DELETE', `/repos/${fullName}`);
}
