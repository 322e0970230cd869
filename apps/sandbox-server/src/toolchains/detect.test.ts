import { rmSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { detectToolchains } from './detect.ts';
import { makeFakeHome } from './fake-home.ts';
import { familiesOf } from './families.ts';
import { selectToolchains } from './index.ts';

const { home, usrLocal, link } = makeFakeHome();
afterAll(() => rmSync(dirname(home), { recursive: true, force: true }));

const detect = () => detectToolchains(familiesOf(home, {}, usrLocal));

it('[TL1] finds the toolchains of version managers, with their versions', async () => {
  const { found } = await detect();
  expect(found.map(({ name, version, origin }) => [name, version, origin])).toEqual([
    ['go', '1.22.1', 'mise'],
    ['java', '21.0.2', 'sdkman'],
    ['node', '20.11.0', 'nvm'],
    ['python', '3.12.1', 'pyenv'],
    ['rust', '1.80.0', 'rustup'],
    ['uv', expect.stringMatching(/^\d+\.\d+/), 'uv'],
  ]);
});

it('[TL2] exposes only the folders that the installer of a toolchain fills', async () => {
  const { found } = await detect();
  const of = (name: string) => found.find((toolchain) => toolchain.name === name);
  expect(of('node')?.folders).toEqual(['bin', 'lib/node_modules/npm']);
  expect(of('python')?.folders).toEqual(['lib']);
  expect(of('python')?.hidden).toEqual(['lib/python3.12/site-packages']);
  expect(of('python')?.copied).toEqual(['include', 'bin']);
  // `uvx` is a script, which may need anything from the home folder.
  expect(of('uv')?.programs).toEqual(['uv']);
});

it('[TL2] the programs of a large Python are mounted: copies would fill the disk', async () => {
  const program = join(home, '.pyenv/versions/3.12.1/bin/python3.12');
  const { size } = statSync(program);
  truncateSync(program, 9 * 1024 * 1024);
  onTestFinished(() => truncateSync(program, size));
  const { found } = await detect();
  const python = found.find(({ name }) => name === 'python');
  expect(python).toMatchObject({ folders: ['bin', 'lib'], copied: ['include'] });
});

it('[TL2] ignores a link as a version, and a version whose program is outside', async () => {
  link(join(home, 'secrets'), '.pyenv/versions/3.9.9');
  link(join(home, 'secrets/bin/rustc'), '.nvm/versions/node/v16.0.0/bin/node');
  const { found } = await detect();
  expect(found.filter(({ source }) => source.includes('secrets'))).toEqual([]);
  expect(found.map(({ version }) => version)).not.toContain('16.0.0');
  expect(found.map(({ label }) => label)).not.toContain('linked');
});

it('[TL1] reports a toolchain that other users cannot read, with the remedy', async () => {
  const { refused } = await detect();
  expect(refused).toEqual([
    {
      name: 'node',
      path: join(home, '.asdf/installs/nodejs/18.19.0'),
      reason: expect.stringContaining('chmod'),
    },
  ]);
});

it('[TL1] the choice is a list of tools, all of them, or none', async () => {
  const detected = await detect();
  expect(selectToolchains(detected, 'none').found).toEqual([]);
  expect(selectToolchains(detected, 'auto')).toEqual(detected);
  expect(selectToolchains(detected, ['rust', 'go']).found.map(({ name }) => name)).toEqual([
    'go',
    'rust',
  ]);
});

it('[TL1] respects the variables of the installers', async () => {
  const env = { RUSTUP_HOME: join(home, '.rustup') };
  const { found } = await detectToolchains(familiesOf('/nonexistent', env, usrLocal));
  expect(found.map(({ name }) => name)).toEqual(['rust']);
});
