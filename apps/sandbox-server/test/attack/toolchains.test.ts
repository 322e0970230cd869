/** Attacks on the machine's toolchains, which every sandbox sees. */
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { detectToolchains } from '../../src/toolchains/detect.ts';
import { CANARY, makeFakeHome, type FakeHome } from '../../src/toolchains/fake-home.ts';
import { familiesOf } from '../../src/toolchains/families.ts';
import { stageToolchains } from '../../src/toolchains/stage.ts';
import { openAttackHarness, type AttackHarness } from './attack-harness.ts';

let harness: AttackHarness;
let fake: FakeHome;
const users = ['user', 'root'] as const;

beforeAll(async () => {
  fake = makeFakeHome();
  const { home, usrLocal } = fake;
  const { found } = await detectToolchains(familiesOf(home, {}, usrLocal));
  const toolchains = stageToolchains({
    folder: join(dirname(home), 'staged'),
    found,
    system: [],
    bundled: [],
    rustup: { program: join(home, '.cargo/bin/rustup'), home: join(home, '.rustup') },
  });
  harness = await openAttackHarness(undefined, toolchains);
  await harness.start('tools');
}, 60_000);
afterAll(async () => {
  await harness.end();
  rmSync(dirname(fake.home), { recursive: true, force: true });
}, 60_000);

it('[TL1] the machine’s programs run inside, by their folder and by PATH', async () => {
  const script = [
    '/run/toolchains/node/20.11.0/bin/node',
    '/run/toolchains/python/3.12.1/bin/python3',
    'go',
    'cat /run/toolchains/python/3.12.1/include/python3.12/Python.h',
    'ls -A /run/toolchains/python/3.12.1/lib/python3.12/site-packages',
    'cargo',
    'readlink "$HOME/.rustup/toolchains/stable-x86_64-unknown-linux-gnu"',
    'cat "$HOME/.rustup/settings.toml"',
  ].join(' && ');
  const { output } = await harness.shell('tools', script);
  expect(output).toBe(
    [
      'v20.11.0',
      'Python 3.12.1',
      'go',
      '// Python.hrustup',
      '/run/toolchains/rust/stable-x86_64-unknown-linux-gnu',
      'version = "12"',
      'default_toolchain = "stable-x86_64-unknown-linux-gnu"',
      'profile = "minimal"',
      '',
      '[overrides]',
      '',
    ].join('\n'),
  );
});

it('[TL4] the list inside names every toolchain, its version and its folder', async () => {
  const { output } = await harness.shell('tools', 'cat /run/toolchains/toolchains.json');
  const { toolchains } = JSON.parse(output) as { toolchains: unknown[] };
  expect(toolchains).toContainEqual({
    name: 'node',
    version: '20.11.0',
    bin: '/run/toolchains/node/20.11.0/bin',
    origin: 'nvm',
    onPath: false,
  });
});

it('[AT-TL1] attack: changes a compiler that the next sandbox, or the owner, will run', async () => {
  const rustc = '/run/toolchains/rust/stable-x86_64-unknown-linux-gnu/bin/rustc';
  const tries = [
    'touch /run/toolchains/evil',
    'touch /run/toolchains/rust/evil',
    `echo evil >> ${rustc}`,
    `chmod 777 ${rustc}`,
    `rm -f ${rustc}`,
    `touch ${dirname(rustc)}/evil`,
    `mv ${rustc} ${rustc}.old`,
    'mv /run/toolchains/node/20.11.0/bin /run/toolchains/node/20.11.0/old',
    'touch /run/toolchains/python/3.12.1/lib/python3.12/site-packages/evil.py',
    'touch /run/toolchains/python/3.12.1/include/evil.h',
    'echo evil > /run/toolchains/toolchains.json',
    'mount -o remount,rw /run/toolchains',
    'umount /run/toolchains/rust/stable-x86_64-unknown-linux-gnu',
    'touch /proc/1/root/run/toolchains/go/1.22.1/evil',
  ];
  for (const user of users) {
    for (const attempt of tries) {
      const { output } = await harness.shell('tools', `${attempt} && echo MANAGED`, user);
      expect(`${user}: ${attempt}: ${output}`).not.toContain('MANAGED');
    }
  }
  const host = join(fake.home, '.rustup/toolchains/stable-x86_64-unknown-linux-gnu/bin/rustc');
  expect(readFileSync(host, 'utf8')).toContain('rustc 1.80.0');
});

it('[AT-TL2] attack: finds a token, a private package or another file of the owner among them', async () => {
  const tries = [
    `grep -rsl ${CANARY} /run/toolchains /home /root`,
    'cat /run/toolchains/node/20.11.0/etc/npmrc',
    'cat /run/toolchains/python/3.12.1/pip.conf',
    'cat /run/toolchains/python/3.12.1/bin/../pip.conf',
    'ls /run/toolchains/python/3.12.1/lib/python3.12/site-packages | grep private',
    'umount /run/toolchains/python/3.12.1/lib/python3.12/site-packages',
    'cat /run/toolchains/node/20.11.0/bin/../../../../../../secrets/bin/rustc',
    `cat ${fake.home}/.cargo/credentials.toml ${fake.home}/secrets/bin/rustc`,
    'ls /run/toolchains/rust | grep linked',
  ];
  for (const user of users) {
    for (const attempt of tries) {
      const { output } = await harness.shell('tools', `(${attempt}) && echo MANAGED`, user);
      expect(`${user}: ${attempt}: ${output}`).not.toContain('MANAGED');
      expect(output).not.toContain(CANARY);
    }
  }
});

it('[AT-TL3] attack: leaves a link in the way, so that its next start exposes or covers another folder', async () => {
  const source = join(fake.home, '.pyenv');
  await harness.shell(
    'tools',
    `rm -rf ${source}; mkdir -p ${dirname(source)}; ln -s /etc ${source}; mv /run /old; ln -s /etc /run`,
    'root',
  );
  await harness.backend.stop('tools');
  await harness.start('tools');
  const { output } = await harness.shell(
    'tools',
    'cat /etc/hostname; ls /etc | grep versions; /run/toolchains/node/20.11.0/bin/node',
  );
  expect(output).toMatch(/^sandbox\n(versions\n)?v20\.11\.0\n$/);
});

it('[TL1] an uninstalled toolchain does not keep a sandbox from starting', async () => {
  const go = join(fake.home, '.local/share/mise/installs/go');
  renameSync(go, `${go}-gone`);
  await harness.start('without');
  // By its folder: the machine may have another one in /usr.
  const { output } = await harness.shell(
    'without',
    'ls -A /run/toolchains/go/1.22.1; /run/toolchains/node/20.11.0/bin/node',
  );
  expect(output).toBe('v20.11.0\n');
});
