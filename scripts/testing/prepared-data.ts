/**
 * Data folders with a prebuilt sandbox template. Building it takes seconds, and it is the same for every test: it is
 * built once and shared by links, as layers are never written to.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandboxServer } from '@ship/sandbox-server';
import { withSetupLock } from '../setup/lock.mjs';
import { PREPARED } from './prepared-folder.ts';

/** The same for every process of one test run, so that a template that changed is noticed once, not by each test. */
const CHECKED = join(PREPARED, `checked-by-${process.ppid}`);

export async function preparedDataFolder(): Promise<string> {
  await withSetupLock(prepare, PREPARED);
  const folder = mkdtempSync(join(tmpdir(), 'ship-test-'));
  const source = join(PREPARED, 'data', 'isolation');
  const isolation = join(folder, 'sandboxes', 'isolation');
  mkdirSync(join(isolation, 'layers'), { recursive: true, mode: 0o700 });
  for (const name of ['owner', 'runtime'])
    execFileSync('cp', ['-al', join(source, name), isolation]);
  for (const name of layersIn(source))
    shareLayer(join(source, 'layers', name), join(isolation, 'layers', name));
  return folder;
}

/** By one symbolic link: eight thousand hard links for each test, and their removal, took a second of processor time. */
function shareLayer(source: string, layer: string): void {
  mkdirSync(layer);
  linkSync(join(source, 'layer.json'), join(layer, 'layer.json'));
  symlinkSync(join(source, 'fs'), join(layer, 'fs'));
}

const layersIn = (isolation: string): string[] =>
  readdirSync(join(isolation, 'layers')).filter((name) => !name.startsWith('.'));

/** A server gives the files of templates back to their owner when it stops, except where links share them, as they soon will. */
function markAsShared(): void {
  const isolation = join(PREPARED, 'data', 'isolation');
  const marks = join(PREPARED, 'marks');
  rmSync(marks, { recursive: true, force: true });
  mkdirSync(marks);
  for (const name of layersIn(isolation))
    linkSync(join(isolation, 'layers', name, 'layer.json'), join(marks, name));
}

async function prepare(): Promise<void> {
  if (existsSync(CHECKED)) return;
  const server = await startSandboxServer({
    apiKey: 'prepare-for-tests',
    dataDir: join(PREPARED, 'data'),
  });
  markAsShared();
  await server.close('stop');
  writeFileSync(CHECKED, '');
}
