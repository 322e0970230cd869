import { fail } from '@ship/protocol';
import type { CommandOutcome, SandboxPort } from '../../sandbox/port.ts';

/** Runs one command in a sandbox, given as arguments. */
export interface Shell {
  run(argv: readonly [string, ...string[]], options?: ShellOptions): Promise<CommandOutcome>;
}

export interface ShellOptions {
  cwd?: string;
  env?: Record<string, string>;
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 120_000;

/**
 * Excludes the sandbox's environment: the agent can write to its profile and so to variables that git reads (`GIT_DIR`,
 * `GIT_SSH_COMMAND`, `LD_PRELOAD`).
 */
const ENVIRONMENT: Record<string, string> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  GIT_EDITOR: '/bin/false',
  GIT_PAGER: 'cat',
  GIT_ALLOW_PROTOCOL: 'http:https',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
};

export function sandboxShell(
  sandbox: Pick<SandboxPort, 'run'>,
  sandboxId: string,
  user: 'user' | 'root' = 'user',
): Shell {
  return {
    run: (argv, { cwd, env = {}, timeoutMs = DEFAULT_TIMEOUT_MS } = {}) =>
      sandbox.run(sandboxId, {
        argv: cleanArgv(argv, env),
        ...(user === 'user' ? {} : { user }),
        ...(cwd === undefined ? {} : { cwd }),
        timeoutMs,
      }),
  };
}

export function cleanArgv(
  argv: readonly [string, ...string[]],
  env: Record<string, string>,
): [string, ...string[]] {
  const variables = Object.entries({ ...ENVIRONMENT, ...env }).map(
    ([key, value]) => `${key}=${value}`,
  );
  return ['/usr/bin/env', '-i', ...variables, ...argv];
}

/** Runs one of Ship's constant scripts; variable parts are passed as arguments, never in its text. */
export function script(
  shell: Shell,
  text: string,
  args: readonly string[],
  options?: ShellOptions,
): Promise<CommandOutcome> {
  return shell.run(['/bin/bash', '--noprofile', '--norc', '-c', text, 'ship', ...args], options);
}

/** The last lines of a failed git, without addresses, which contain a capability. */
export function lastWords(outcome: CommandOutcome): string {
  return outcome.stderr
    .replaceAll(/https?:\/\/\S+/g, '(address)')
    .replaceAll(/shipcap_[\w.-]+/g, '(capability)')
    .replaceAll(/[^\x20-\x7e\n]/g, ' ')
    .trim()
    .split('\n')
    .slice(-3)
    .join(' ')
    .slice(-300);
}

export function failed(what: string, outcome: CommandOutcome): never {
  return fail(
    'internal',
    `Ship could not ${what} in the sandbox (git ended with ${outcome.exitCode}): ${lastWords(outcome)}`,
    'Retry; if it persists, open the terminal and inspect the repository.',
  );
}
