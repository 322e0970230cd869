/**
 * `npm run test:user [-- --all | NAME…]`: as root, creates an ordinary user with its home folder, runs the tests that
 * touch sandboxes as that user in a network namespace without egress, and deletes the user again. Afterwards no
 * process, no mount and no file that the user could not delete may be left.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { ROOT } from '../steps.ts';
import { findLeftovers } from './leftovers.ts';
import { makeUser, type OrdinaryUser } from './user.ts';

/** Names of the test files that start sandboxes; the rest behaves the same for root. */
const SUITES = [
  'sandbox-server/',
  'git/mirror',
  'git/sandbox',
  'sandbox-port',
  'sandbox-files',
  'kept-setup',
  'lost-sandbox',
  'cli/test/up',
  'cli/test/run',
  'cli/test/clean',
];

const sh = (program: string, ...args: string[]) => {
  execFileSync(program, args, { stdio: 'inherit' });
};

/** The addresses of the attack suite belong to this namespace, and nothing else can be reached. */
function makeNamespace(name: string): void {
  sh('ip', 'netns', 'add', name);
  sh('ip', '-n', name, 'link', 'set', 'lo', 'up');
  for (const address of ['192.168.77.1/32', '169.254.169.254/32'])
    sh('ip', '-n', name, 'addr', 'add', address, 'dev', 'lo');
  const lowPorts = 'echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start';
  sh('nsenter', inNamespace(name), 'sh', '-c', lowPorts);
}

/** Not `ip netns exec`: it hides /sys/fs/cgroup. */
const inNamespace = (name: string): string => `--net=/run/netns/${name}`;

let tests: ChildProcess | undefined;
let isInterrupted = false;

/** A signal ends the tests, not this process: the user and the namespace would stay on the machine. */
function endTestsOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      isInterrupted = true;
      if (tests?.pid !== undefined) process.kill(-tests.pid, signal);
    });
}

async function runTests(
  user: OrdinaryUser,
  namespace: string,
  selection: readonly string[],
): Promise<number> {
  const clone = join(user.home, 'ship');
  sh('cp', '-a', '--reflink=auto', ROOT, clone);
  // State and caches of root's own runs; the rest is what a fresh clone has after its set-up.
  sh('rm', '-rf', join(clone, '.cache'), join(clone, '.ship'));
  sh('chown', '-R', `${user.name}:`, clone);
  const env = {
    HOME: user.home,
    USER: user.name,
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    CI: 'true',
    TERM: 'dumb',
    SHIP_TEST_HOST_NAMESPACE: readlinkSync('/proc/self/ns/net'),
  };
  const command = [inNamespace(namespace), ...user.command, 'npm', 'test', '--', ...selection];
  // Handlers run between steps only: a signal that came during the copy is known after one turn of the loop.
  await setImmediate();
  if (isInterrupted) return 1;
  tests = spawn('nsenter', command, { cwd: clone, env, stdio: 'inherit', detached: true });
  const [code] = (await once(tests, 'exit')) as [number | null];
  return code ?? 1;
}

if (process.getuid?.() !== 0) {
  process.stderr.write('ship: only root can make a user; as an ordinary user run: npm test\n');
  process.exit(2);
}
endTestsOnSignal();
const given = process.argv.slice(2);
const names = given.includes('--all') ? [] : given.length === 0 ? SUITES : given;
// A name would find long tests too, which `npm test` leaves out as well.
const selection = names.length === 0 ? [] : ['--suite', 'processes', ...names];
const namespace = `ship-user-${process.pid}`;
const user = makeUser(`ship-test-${process.pid}`);
let leftovers: Awaited<ReturnType<typeof findLeftovers>> = [];
let code = 1;
try {
  makeNamespace(namespace);
  code = await runTests(user, namespace, selection);
  leftovers = await findLeftovers(user);
} finally {
  spawnSync('ip', ['netns', 'del', namespace]);
  user.remove();
}
const found = leftovers.flatMap(([, lines]) => lines);
for (const line of found) process.stderr.write(`left behind: ${line}\n`);
const failed = leftovers.filter(([, lines]) => lines.length > 0).length;
process.stdout.write(`\nleftovers: ${leftovers.length - failed} passed, ${failed} failed\n`);
process.exitCode = code === 0 && failed === 0 ? 0 : 1;
