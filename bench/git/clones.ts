import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  keepMirror,
  mirrorTemplate,
  prepareRepository,
} from '../../apps/control-plane/src/git/index.ts';
import type { Sandboxed } from '../../apps/control-plane/test/git/support/sandboxed.ts';
import { timed } from '../statistics.ts';
import type { Part } from './part.ts';

const run = promisify(execFile);

/**
 * A session's clone with its mirror, alternating with the best that git itself can do on this machine; once without a
 * mirror. Nothing is deleted in between: a disk that processes discards is slow for seconds afterwards, and the next
 * writer would be charged for it.
 */
export async function cloneTimes(part: Part, all: Sandboxed, source: string, times: number) {
  const { signal } = part;
  const { session: first, sandboxId } = await all.session(source);
  const { forge } = first.deps;
  const direct = directRemote(all, `${forge.owner}/${forge.name}`);
  const mirror = join(all.data, 'mirror.git');
  const done: string[] = [];
  let round = 0;
  await run('git', ['clone', '-q', '--bare', source, mirror], { signal });
  const name = await mirrorTemplate(source);
  const remote = await first.deps.remoteFor('ship-bench');
  const keeperMs = await timed(() =>
    keepMirror(all.port, { name, remote, now: Date.now, egress: [] }),
  );
  part.findings['keeperMs'] = Math.round(keeperMs);
  done.push(sandboxId);
  await part.rounds(times, async (isLast) => {
    const target = join(all.data, `clone-${round++}`);
    const argv = ['clone', '-q', '--reference', mirror, direct, target];
    const reference = await timed(() => run('git', argv, { signal }));
    const warm = await inSandbox(all, done, source, name);
    const cold = isLast ? { cold: (await inSandbox(all, done, source)).clone } : {};
    return { reference, warm: warm.clone, warmCreate: warm.create, ...cold };
  });
  for (const id of done) await all.port.destroy(id);
}

/** From a running sandbox to a repository on the session's branch. */
async function inSandbox(all: Sandboxed, done: string[], source: string, template?: string) {
  const startMs = performance.now();
  const { session, sandboxId } = await all.session(source, template);
  const create = performance.now() - startMs;
  const clone = await timed(async () => session.record(await prepareRepository(session.deps)));
  done.push(sandboxId);
  return { create, clone };
}

export function directRemote({ forge, token }: Sandboxed, fullName: string): string {
  return `${forge.gitUrl.replace('http://', `http://x:${token}@`)}/${fullName}.git`;
}
