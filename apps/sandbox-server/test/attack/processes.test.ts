/** Attacks on processes: attempts 2, 7 and 14 of the list. */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostProcesses, openAttackHarness, type AttackHarness } from './attack-harness.ts';

let harness: AttackHarness;
let victim: ChildProcess;

beforeAll(async () => {
  harness = await openAttackHarness();
  victim = spawn('sleep', ['31536001']);
  await harness.start('watcher');
  await harness.start('two');
}, 60_000);
afterAll(async () => {
  victim.kill('SIGKILL');
  await harness.end();
}, 60_000);

describe('2: foreign processes', () => {
  it('neither the host nor another sandbox is visible', async () => {
    await harness.shell('two', '(setsid sleep 31536002 >/dev/null 2>&1 &)');
    const { output } = await harness.shell(
      'watcher',
      'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " < $f; echo; done',
      'root',
    );
    expect(hostProcesses('sleep 31536002')).toHaveLength(1);
    expect(output).toContain('envd');
    expect(output).not.toContain('31536001');
    expect(output).not.toContain('31536002');
  });

  it.each(['user', 'root'] as const)('as %s, no signal reaches them', async (user) => {
    await harness.shell(
      'watcher',
      `kill -9 ${victim.pid}; pkill node; pkill -9 -f sleep; killall node`,
      user,
    );
    expect(victim.exitCode).toBeNull();
    expect(victim.signalCode).toBeNull();
    expect(hostProcesses('sleep 31536002')).toHaveLength(1);
    expect(await harness.backend.presence('watcher')).toBe('running');
  });
});

describe('7: ptrace', () => {
  it.each(['user', 'root'] as const)('as %s, no process can be traced or read', async (user) => {
    const { output } = await harness.python(
      'watcher',
      `
for pid in (1, 2, ${victim.pid}, os.getppid()):
    print('ptrace', pid, call(101 if os.uname().machine == 'x86_64' else 117, 16, pid, 0, 0))
    for name in ('mem',):
        if pid in (1, ${victim.pid}):
            try:
                open('/proc/%d/%s' % (pid, name), 'rb').read(1); print('OPENED', pid, name)
            except OSError as error:
                print('refused', error.errno)
`,
      user,
    );
    expect(output.match(/^ptrace \d+ 1$/gm)).toHaveLength(4);
    expect(output).not.toContain('OPENED');
  });
});

describe('14: daemons that outlive kill', () => {
  it('a daemon that left its session, its parent and its terminal ends with the sandbox', async () => {
    await harness.start('daemons');
    await harness.python(
      'daemons',
      `
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import signal
        for number in range(1, 32):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        null = os.open('/dev/null', os.O_RDWR)
        for fd in (0, 1, 2): os.dup2(null, fd)
        os.execv('/usr/bin/sleep', ['sleep', '31536003'])
    os._exit(0)
`,
      'root',
    );
    await delay(100);
    expect(hostProcesses('sleep 31536003')).toHaveLength(1);
    await harness.backend.destroy('daemons');
    expect(hostProcesses('sleep 31536003')).toHaveLength(0);
    expect(await harness.backend.presence('daemons')).toBe('absent');
  });

  it('a frozen sandbox is killed too', async () => {
    await harness.start('frozen');
    await harness.shell('frozen', '(setsid sleep 31536004 >/dev/null 2>&1 &)');
    await harness.backend.freeze('frozen');
    await harness.backend.destroy('frozen');
    expect(hostProcesses('sleep 31536004')).toHaveLength(0);
  });
});
