/**
 * A user namespace in which an ordinary user is root over its own id and the subordinate ones, for files, mounts
 * and nested namespaces. It has no process: this server's descriptor and the running sandboxes keep it alive.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { HostTools } from './host-tools.ts';
import { SUBORDINATE_COUNT } from './identity.ts';
import type { SubordinateIds } from './subordinate-ids.ts';

const run = promisify(execFile);

/** Waits in a new user namespace until its stdin closes. */
const HOLD = 'echo held; exec cat >/dev/null';

/** Resolves to a path by which programs of the same user enter the namespace while this process lives. */
export async function openUserNamespace(
  tools: HostTools,
  { uidStart, gidStart }: SubordinateIds,
): Promise<string> {
  const holder = spawn(tools.unshare, ['--user', '--', tools.sh, '-c', HOLD], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  });
  try {
    const ended = once(holder, 'exit').then(() => {
      throw new Error(`${tools.unshare} could not make a user namespace`);
    });
    ended.catch(() => {});
    await Promise.race([once(holder.stdout, 'data'), ended]);
    const pid = String(holder.pid);
    const map = (own: number, start: number) =>
      [pid, 0, own, 1, 1, start, SUBORDINATE_COUNT].map(String);
    await run(tools.newuidmap, map(process.getuid?.() ?? 0, uidStart));
    await run(tools.newgidmap, map(process.getgid?.() ?? 0, gidStart));
    const descriptor = openSync(`/proc/${pid}/ns/user`, 'r');
    return `/proc/${process.pid}/fd/${descriptor}`;
  } finally {
    holder.stdin.destroy();
  }
}
