/** Resource bombs: attempts 4, 5 and 6 of the list. Each is bounded, and first checks that its limit is in place. */
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Capabilities } from '../../src/isolation/backend.ts';
import { openAttackHarness, type AttackHarness } from './attack-harness.ts';

let harness: AttackHarness;
let capabilities: Capabilities;
const LIMITS = { memoryMb: 256, processes: 64, diskMb: 64 };

beforeAll(async () => {
  harness = await openAttackHarness();
  const probed = await harness.backend.probe();
  if ('reason' in probed) throw new Error(probed.reason);
  capabilities = probed;
  await harness.start('bombs', { limits: LIMITS });
}, 60_000);
afterAll(async () => await harness.end(), 60_000);

const stillAnswers = async () => {
  const { output } = await harness.shell('bombs', 'echo alive');
  expect(output).toContain('alive');
};

describe('4: fork bomb', () => {
  it('stops at the limit, and the sandbox and the host keep running', async () => {
    expect(capabilities.limits.processes).toBe('hard');
    const { output } = await harness.python(
      'bombs',
      `
import time
children = 0
for _ in range(500):
    try:
        pid = os.fork()
    except OSError as error:
        print('refused after', children, error.errno)
        break
    if pid == 0:
        time.sleep(2)
        os._exit(0)
    children += 1
else:
    print('UNLIMITED')
`,
    );
    expect(output).toMatch(/refused after \d+ 11/);
    expect(Number(/refused after (\d+)/.exec(output)?.[1])).toBeLessThanOrEqual(LIMITS.processes);
    expect(execFileSync('/bin/echo', ['host']).toString()).toContain('host');
    await delay(2100);
    await stillAnswers();
  }, 30_000);
});

describe('5: disk fill', () => {
  it.each(['/tmp', '/dev/shm', '/run'])(
    '%s is bounded by its size',
    async (folder) => {
      const { output } = await harness.shell(
        'bombs',
        `dd if=/dev/zero of=${folder}/fill bs=1M count=300 2>&1; stat -c %s ${folder}/fill; rm ${folder}/fill`,
      );
      expect(output).toMatch(/No space left|File too large|File size limit/);
    },
    30_000,
  );

  it('/dev itself accepts no files', async () => {
    const { output } = await harness.shell('bombs', 'echo x > /dev/file && echo WROTE', 'root');
    expect(output).not.toContain('WROTE');
  });

  it('a single file cannot exceed the limit', async () => {
    await harness.shell('bombs', `dd if=/dev/zero of=big bs=1M count=200; sync`);
    const { output } = await harness.shell('bombs', 'stat -c %s big; rm big');
    expect(Number(output)).toBeLessThanOrEqual(LIMITS.diskMb * 1024 * 1024);
  }, 30_000);

  it('many files in the home folder are stopped within seconds', async () => {
    const freeBefore = statfsSync(harness.folder).bavail * statfsSync(harness.folder).bsize;
    const writer =
      'for i in $(seq 1 100); do dd if=/dev/zero of=fill$i bs=1M count=10 status=none; sleep 0.2; done; echo FINISHED';
    const { output } = await harness.shell('bombs', writer);
    const freeAfter = statfsSync(harness.folder).bavail * statfsSync(harness.folder).bsize;
    expect(output).not.toContain('FINISHED');
    expect(freeBefore - freeAfter).toBeLessThan(600 * 1024 * 1024);
    expect((await harness.backend.usage('bombs')).diskUsedBytes).toBeGreaterThan(0);
    await harness.shell('bombs', 'rm -f fill*');
    await stillAnswers();
  }, 60_000);
});

describe('6: memory bomb', () => {
  it('kills the command that uses the memory, not the supervisor and not the host', async () => {
    expect(capabilities.limits.memory).not.toBe('none');
    // 40 pieces of 25 MB with pauses, so that a watchdog can act where the kernel does not.
    const { output, exitCode } = await harness.python(
      'bombs',
      `
import time
pieces = []
for _ in range(40):
    pieces.append(b'x' * 25_000_000)
    time.sleep(0.15)
time.sleep(30) # A watchdog on a busy machine is late; a limit that nothing enforces still shows.
print('SURVIVED')
`,
    );
    expect(output).not.toContain('SURVIVED');
    expect(exitCode).not.toBe(0);
    // The sandbox's own memory: the machine's free memory depends on everything else that runs there.
    const { memoryUsedBytes } = await harness.backend.usage('bombs');
    expect(memoryUsedBytes).toBeLessThan(LIMITS.memoryMb * 1024 * 1024);
    await stillAnswers();
    expect(await harness.backend.presence('bombs')).toBe('running');
  }, 60_000);
});
