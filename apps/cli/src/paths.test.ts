import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import pkg from '../../../package.json' with { type: 'json' };
import { dataFolderAt } from './paths.ts';

it('[EY12] from any folder the default is the clone’s data folder, and a named folder is used as given', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ship-where-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  vi.stubEnv('INIT_CWD', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const clone = join(import.meta.dirname, '../../..');
  expect(dataFolderAt('.ship')).toBe(join(clone, '.ship'));
  expect(dataFolderAt('state')).toBe(join(folder, 'state'));
  expect(dataFolderAt('/var/lib/ship')).toBe('/var/lib/ship');
  mkdirSync(join(folder, '.ship/run'), { recursive: true });
  expect(dataFolderAt('.ship')).toBe(join(folder, '.ship'));
});

it('[EY12] the package has a unique name, under which npx finds no other package', () => {
  expect(pkg.name).toMatch(/^@[a-z-]+\//);
  expect(pkg.private).toBe(true);
  expect(Object.keys(pkg.bin)).toEqual(['ship', 'ship-agents']);
});
