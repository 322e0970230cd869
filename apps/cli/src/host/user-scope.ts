/**
 * Runs in a scope of the user's systemd manager with a delegated cgroup: then the kernel enforces limits on memory, processor
 * time and processes for an ordinary user's sandboxes. Without a scope there is only a watchdog.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const SYSTEMD_RUN = '/usr/bin/systemd-run';
const OPTIONS = ['--user', '--scope', '--quiet', '--collect', '--property=Delegate=yes', '--'];
/** Set in the scope, so that the re-executed program does not enter another one. */
const ENTERED = 'SHIP_USER_SCOPE';
/** A manager that does not answer must not delay the start for long. */
const TRIAL_TIMEOUT_MS = 3_000;

export interface ScopeMachine {
  uid: number;
  env: NodeJS.ProcessEnv;
  exists: (path: string) => boolean;
  /** Whether a scope works: the manager may refuse, or not control this session. */
  canRun: (program: string, args: readonly string[]) => boolean;
}

const thisMachine = (): ScopeMachine => ({
  uid: process.getuid?.() ?? 0,
  env: process.env,
  exists: existsSync,
  canRun: (program, args) =>
    spawnSync(program, args, { stdio: 'ignore', timeout: TRIAL_TIMEOUT_MS }).status === 0,
});

/** The command that runs `argv` in a scope; undefined when a scope is not available or not needed. */
export function scopeCommand(
  argv: readonly string[],
  machine: ScopeMachine = thisMachine(),
): [program: string, args: string[]] | undefined {
  const { uid, env, exists, canRun } = machine;
  if (uid === 0 || env[ENTERED] !== undefined) return undefined;
  const manager = join(env['XDG_RUNTIME_DIR'] ?? `/run/user/${uid}`, 'systemd/private');
  // A delegated group has limits only with cgroup v2.
  const isThere = ['/sys/fs/cgroup/cgroup.controllers', SYSTEMD_RUN, manager].every(exists);
  if (!isThere || !canRun(SYSTEMD_RUN, [...OPTIONS, '/bin/true'])) return undefined;
  return [SYSTEMD_RUN, [...OPTIONS, ...argv]];
}

/** Re-executes the program in a scope; the process id stays, so signals and waiting parents are not affected. */
export function enterUserScope(): void {
  const argv = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const command = scopeCommand(argv);
  if (command === undefined || process.execve === undefined) return;
  const [program, args] = command;
  const env: Record<string, string> = { [ENTERED]: '1' };
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined) env[name] ??= value;
  process.execve(program, [program, ...args], env);
}
