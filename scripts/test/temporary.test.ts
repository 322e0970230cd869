import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openTemporaryFolder, removeTemporaryFolder } from './temporary.ts';

function parentFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), 'ship-temporary-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return parent;
}

it('[AR3] is a folder that every user may write to, and is gone afterwards with all that is in it', () => {
  const folder = openTemporaryFolder(parentFolder());
  expect(statSync(folder).mode & 0o7777).toBe(0o1777);
  for (const name of ['forge-abc', 'forge-xyz', 'ship-test-1']) mkdirSync(join(folder, name));
  expect(removeTemporaryFolder(folder)).toEqual(['2 × forge', 'ship-test']);
  expect(existsSync(folder)).toBe(false);
});

it('removes the folder of a run that was killed, and neither that of a living one nor anything else', () => {
  const parent = parentFolder();
  const ended = spawnSync(process.execPath, ['-e', '0']).pid;
  for (const name of [`ship-run-${ended}`, `ship-run-${process.ppid}`, 'ship-run-odd'])
    mkdirSync(join(parent, name));
  writeFileSync(join(parent, `ship-run-${ended}`, 'file'), '');
  removeTemporaryFolder(openTemporaryFolder(parent));
  expect(existsSync(join(parent, `ship-run-${ended}`))).toBe(false);
  expect(existsSync(join(parent, `ship-run-${process.ppid}`))).toBe(true);
  expect(existsSync(join(parent, 'ship-run-odd'))).toBe(true);
});
