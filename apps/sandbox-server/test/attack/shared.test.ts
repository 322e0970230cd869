/** Attacks on a folder that the machine shares with all its sandboxes. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { openAttackHarness, type AttackHarness } from './attack-harness.ts';

let harness: AttackHarness;
let folder: string;
let shared: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ship-shared-'));
  shared = join(folder, 'shared');
  harness = await openAttackHarness(shared);
  await harness.start('shared');
}, 60_000);
afterAll(async () => {
  await harness.end();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

it('[SF1] running sandboxes see later additions immediately', async () => {
  expect((await harness.shell('shared', 'ls /run/shared')).output).toBe('');
  mkdirSync(join(folder, 'staging'));
  writeFileSync(join(folder, 'staging', 'tool'), 'a tool', { mode: 0o755 });
  renameSync(join(folder, 'staging'), join(shared, 'v1'));
  const { output } = await harness.shell('shared', 'cat /run/shared/v1/tool');
  expect(output).toBe('a tool');
});

it.each(['user', 'root'] as const)('[SF2] as %s it cannot be written in any way', async (user) => {
  writeFileSync(join(folder, 'secret'), 'canary-55c1');
  symlinkSync(join(folder, 'secret'), join(shared, `leads-out-${user}`));
  const tries = [
    'touch /run/shared/evil',
    'echo evil >> /run/shared/v1/tool',
    'chmod 777 /run/shared/v1/tool',
    'rm -f /run/shared/v1/tool',
    'mv /run/shared/v1 /run/shared/v2',
    'ln /run/shared/v1/tool /tmp/tool && echo evil >> /tmp/tool',
    'ln -s /run/shared /tmp/link && touch /tmp/link/evil',
    'touch /proc/self/root/run/shared/evil /proc/1/root/run/shared/evil',
    'mount -o remount,rw /run/shared',
    'mount --bind -o rw /run/shared /mnt && touch /mnt/evil',
    'umount /run/shared',
    `cat /run/shared/leads-out-${user}`,
    'cat /run/shared/../secret /run/shared/v1/../../../secret',
  ];
  for (const attempt of tries) {
    const { output } = await harness.shell('shared', `${attempt} && echo MANAGED`, user);
    expect(`${attempt}: ${output}`).not.toContain('MANAGED');
    expect(`${attempt}: ${output}`).not.toContain('canary-55c1');
  }
  expect(readFileSync(join(shared, 'v1', 'tool'), 'utf8')).toBe('a tool');
  expect(readdirSync(shared).filter((name) => !name.startsWith('leads-out'))).toEqual(['v1']);
});

it('[SF2] remains of a sandbox do not redirect its next start', async () => {
  await harness.shell('shared', 'cd / && mv /run /old; ln -s /etc /run; ls -ld /run', 'root');
  await harness.backend.stop('shared');
  rmSync(shared, { recursive: true });
  await harness.start('shared');
  const { output } = await harness.shell('shared', 'ls /run/shared; touch /run/shared/evil');
  expect(output).not.toContain('v1');
  expect(readdirSync(shared)).toEqual([]);
});

it.each(['user', 'root'] as const)(
  '[SF3] a read-only folder of a layer cannot be changed by %s',
  async (user) => {
    await harness.start('captured');
    await harness.shell('captured', 'mkdir -p /srv/kept && echo good > /srv/kept/file', 'root');
    await harness.backend.capture('captured', `kept-${user}`);
    await harness.backend.destroy('captured');
    const id = `reader-${user}`;
    await harness.start(id, {
      layer: `kept-${user}`,
      readOnly: ['/srv/kept', '/srv/none', '/../etc'],
    });
    for (const attempt of [
      'echo evil > /srv/kept/file',
      'rm -f /srv/kept/file',
      'mv /srv/kept /srv/moved',
      'touch /srv/kept/evil',
      'chmod 777 /srv/kept',
      'mount -o remount,rw /srv/kept',
      'umount /srv/kept',
    ]) {
      const { output } = await harness.shell(id, `${attempt} && echo MANAGED`, user);
      expect(`${attempt}: ${output}`).not.toContain('MANAGED');
    }
    expect(
      (await harness.shell(id, 'cat /srv/kept/file; touch /etc/own && echo own', 'root')).output,
    ).toMatch(/^good\n/);
  },
);

it('[SF3] a link that an earlier run left in the path of a read-only folder leads nowhere', async () => {
  await harness.start('trap');
  await harness.shell('trap', 'mkdir -p /srv/a && ln -s /etc /srv/a/b', 'root');
  await harness.backend.stop('trap');
  await harness.start('trap', { readOnly: ['/srv/a/b'] });
  const { output } = await harness.shell('trap', 'readlink /srv/a/b; cat /etc/hostname', 'root');
  expect(output).toBe('/etc\nsandbox\n');
});

it.each(['/opt/x', '/run/egress', '/run/lock', '/run/../etc', '/run/a/b', '/run/'])(
  '[SF2] %s is not a valid target',
  (target) => {
    const config = { apiKey: 'k'.repeat(8), dataDir: '/d', shared: [{ source: '/s', target }] };
    expect(() => parseConfig(config)).toThrow('/run/NAME');
  },
);
