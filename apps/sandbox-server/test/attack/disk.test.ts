/**
 * Ways around the disk limit that leave no named files. Each attacker works in steps and stops eventually, so
 * that a limit that fails costs only a few hundred megabytes.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hostProcesses, openAttackHarness, type AttackHarness } from './attack-harness.ts';

const LIMIT_MB = 64;
const MB = 1024 * 1024;

let harness: AttackHarness;
let made = 0;
let id = '';
const reasons: string[] = [];

beforeAll(async () => {
  harness = await openAttackHarness();
  harness.backend.onLimit((overId, reason) => reasons.push(`${overId}: ${reason}`));
});
afterAll(async () => await harness.end());
beforeEach(async () => {
  made += 1;
  id = `disk${made}`;
  reasons.length = 0;
  await harness.start(id, { limits: { diskMb: LIMIT_MB } });
});

/** Each step uses 16 MB of disk; without a limit the attacker gets to 20 of them, five times the limit. */
const steps = (step: string) => `
import mmap, time
kept = []
def filled(path):
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    os.write(fd, b'x' * 16_000_000)
    return fd
for i in range(20):
${step.replaceAll(/^/gm, '    ')}
    print('step', i, flush=True)
    time.sleep(0.4)
print('FINISHED')
`;

const reasonSays = async (text: string) =>
  await expect
    .poll(() => reasons.filter((one) => one.startsWith(`${id}: `)), { timeout: 15_000 })
    .toContainEqual(expect.stringContaining(text));

async function expectStopped(script: string): Promise<void> {
  const { output } = await harness.python(id, script);
  expect(output).toContain('step 1');
  expect(output).not.toContain('FINISHED');
  await reasonSays('MB of disk');
  // The owner can still connect, to inspect and free space.
  expect((await harness.shell(id, 'echo alive')).output).toContain('alive');
}

describe('disk limit', () => {
  it('[AT-M1A] attack: fills the host’s disk with open files that have been deleted', async () => {
    await expectStopped(steps(`kept.append(filled('f')); os.unlink('f')`));
  });

  it('[AT-M1B] attack: fills it with descriptors that a sleeping child of a dead writer holds', async () => {
    await expectStopped(
      steps(`
kept.append(filled('f')); os.unlink('f')
if os.fork() > 0: time.sleep(12); os._exit(0)`),
    );
  });

  it('[AT-M1C] attack: takes gigabytes in an instant by preallocation', async () => {
    const { output } = await harness.python(
      id,
      `
for mode in (0, 1, 16, 17):
    for i in range(8):
        fd = os.open(f'p{mode}-{i}', os.O_RDWR | os.O_CREAT)
        print(mode, call(285 if os.uname().machine == 'x86_64' else 47, fd, mode, 0, 60_000_000))
os.posix_fallocate(os.open('small', os.O_RDWR | os.O_CREAT), 0, 1_000_000)
print('small', os.stat('small').st_size)
print('taken', sum(os.stat(f).st_blocks for f in os.listdir('.')) * 512, flush=True)
`,
    );
    expect(Number(/taken (\d+)/.exec(output)?.[1])).toBeLessThan(LIMIT_MB * MB);
    expect(output).not.toMatch(/^\d+ 0$/m);
    // Programs that preallocate succeed by writing.
    expect(output).toContain('small 1000000');
  });

  it('[AT-M1D] attack: uses up the inodes of the host’s file system with empty files', async () => {
    const { output } = await harness.python(
      id,
      `
import time
for folder in range(60):
    os.mkdir(f'd{folder}')
    for i in range(700): os.close(os.open(f'd{folder}/{i}', os.O_CREAT))
    time.sleep(0.1)
print('FINISHED')
`,
    );
    expect(output).not.toContain('FINISHED');
    await reasonSays('files on disk');
  });

  it('[AT-M1E] attack: forks faster than it is killed, and keeps writing', async () => {
    await harness.python(
      id,
      `
import time  # keeps-forking
end = time.time() + 60
n = 0
while time.time() < end:
    n += 1
    with open(f'f{n % 20}', 'wb') as f: f.write(b'x' * 8_000_000)
    for _ in range(20):
        if os.fork() > 0: os._exit(0)
`,
    );
    await reasonSays('MB of disk');
    // On the host, the command line of every attempt contains this program's text.
    await expect.poll(() => hostProcesses('keeps-forking'), { timeout: 15_000 }).toEqual([]);
  });
});
