import { expect, it } from 'vitest';
import { defaultsOf, emptyFoldersOf, mountsOf, pythonNames } from './plan.ts';
import type { Toolchain, ToolchainEntry } from './types.ts';
import { compareVersions, versionInName } from './versions.ts';

const toolchain = (name: Toolchain['name'], version: string): Toolchain => ({
  name,
  version,
  label: version,
  origin: 'test',
  source: `/home/${name}/${version}`,
  folders: ['.'],
  hidden: [],
  copied: [],
  programs: [],
});

const java: ToolchainEntry = {
  name: 'java',
  version: '17',
  bin: '/usr/bin',
  origin: 'system',
  onPath: true,
};

it('[TL2] a hidden folder is covered after its parent is mounted', () => {
  const hidden = 'lib/python3.12/site-packages';
  const python = { ...toolchain('python', '3.12.1'), folders: ['lib'], hidden: [hidden] };
  expect(mountsOf(python, '/base')).toEqual([
    { from: '/home/python/3.12.1/lib', to: 'python/3.12.1/lib' },
    { from: '/base/.hidden', to: `python/3.12.1/${hidden}` },
  ]);
  expect(emptyFoldersOf(python)).toEqual(['.hidden', 'python/3.12.1', 'python/3.12.1/lib']);
});

it('[TL3] the newest of each tool is on PATH; Node, Python and a second Java are not', () => {
  const found = [
    toolchain('go', '1.9.2'),
    toolchain('go', '1.22.1'),
    toolchain('java', '21.0.2'),
    toolchain('node', '20.11.0'),
    toolchain('python', '3.12.1'),
  ];
  const labels = (system: ToolchainEntry[]) =>
    defaultsOf(found, system).map(({ name, version }) => `${name} ${version}`);
  expect(labels([])).toEqual(['go 1.22.1', 'java 21.0.2']);
  expect(labels([java])).toEqual(['go 1.22.1']);
});

it('[TL3] pythonX.Y is the newest of each minor version, and never replaces the system’s', () => {
  const found = ['3.12.1', '3.12.10', '3.11.7'].map((version) => toolchain('python', version));
  const names = pythonNames(found, (name) => name === 'python3.11');
  expect(names.map(([name, { version }]) => [name, version])).toEqual([['python3.12', '3.12.10']]);
});

it.each([
  ['v20.11.0', '20.11.0'],
  ['go1.22.1', '1.22.1'],
  ['cpython-3.12.1-linux-x86_64-gnu', '3.12.1'],
  ['uv 0.9.2 (abc 2025-01-01)', '0.9.2'],
  ['latest', undefined],
])('the version in %s', (name, version) => {
  expect(versionInName(name)).toBe(version);
});

it('compares versions numerically', () => {
  expect(['3.9', '3.12.1', '3.10.13', '3.12'].toSorted(compareVersions)).toEqual([
    '3.9',
    '3.10.13',
    '3.12',
    '3.12.1',
  ]);
});
