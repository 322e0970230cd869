import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  keepMirror,
  mirrorTemplate,
  prepareRepository,
} from '../../apps/control-plane/src/git/index.ts';
import type { Sandboxed } from '../../apps/control-plane/test/git/support/sandboxed.ts';
import { spread, timed } from '../statistics.ts';

const run = promisify(execFile);

/** A session's clone, with its mirror and without, in turns with the best that git itself can do on this machine. */
export async function cloneTimes(all: Sandboxed, source: string, times: number) {
  const { session: first } = await all.session(source);
  const { forge } = first.deps;
  const direct = directRemote(all, `${forge.owner}/${forge.name}`);
  const mirror = join(all.data, 'mirror.git');
  const target = join(all.data, 'clone');
  await run('git', ['clone', '-q', '--bare', source, mirror]);
  const name = await mirrorTemplate(source);
  const remote = await first.deps.remoteFor('ship-bench');
  const keeper = await timed(() =>
    keepMirror(all.port, { name, remote, now: Date.now, egress: [] }),
  );
  const seen = { reference: [0], warm: [0], cold: [0], create: [0] };
  for (const values of Object.values(seen)) values.pop();
  for (let i = -1; i < times; i += 1) {
    rmSync(target, { recursive: true, force: true });
    const reference = await timed(() =>
      run('git', ['clone', '-q', '--reference', mirror, direct, target]),
    );
    const warm = await inSandbox(all, source, name);
    const cold = await inSandbox(all, source);
    if (i < 0) continue;
    seen.reference.push(reference);
    seen.warm.push(warm.clone);
    seen.create.push(warm.create);
    seen.cold.push(cold.clone);
  }
  return {
    keeperMs: Math.round(keeper),
    reference: spread(seen.reference),
    warm: spread(seen.warm),
    warmCreate: spread(seen.create),
    cold: spread(seen.cold),
  };
}

/** From a sandbox that runs to a repository on the session's branch. */
async function inSandbox(all: Sandboxed, source: string, template?: string) {
  const startMs = performance.now();
  const { session, sandboxId } = await all.session(source, template);
  const create = performance.now() - startMs;
  const clone = await timed(async () => session.record(await prepareRepository(session.deps)));
  await all.port.destroy(sandboxId);
  return { create, clone };
}

export function directRemote({ forge, token }: Sandboxed, fullName: string): string {
  return `${forge.gitUrl.replace('http://', `http://x:${token}@`)}/${fullName}.git`;
}
