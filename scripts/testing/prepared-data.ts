/**
 * Data folders whose sandbox template is there already. Building it takes seconds, and it is the same for every test; it
 * is built once and shared by hard links, as layers are never written to.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandboxServer } from '@ship/sandbox-server';
import { withSetupLock } from '../setup/lock.mjs';
import { PREPARED } from './prepared-folder.ts';
import { withSubordinateIds } from './remove-folder.ts';

/** The same for every process of one test run, so that a template that changed is noticed once, not by each test. */
const CHECKED = join(PREPARED, `checked-by-${process.ppid}`);

export async function preparedDataFolder(): Promise<string> {
  await withSetupLock(prepare, PREPARED);
  const folder = mkdtempSync(join(tmpdir(), 'ship-test-'));
  mkdirSync(join(folder, 'sandboxes'), { mode: 0o700 });
  const source = join(PREPARED, 'data', 'isolation');
  const copy = ['cp', '-al', source, join(folder, 'sandboxes', 'isolation')];
  // Another id's files cannot be linked without its rights.
  if (readFileSync(join(source, 'owner'), 'utf8').startsWith('subordinate'))
    withSubordinateIds(...copy);
  else execFileSync('env', copy);
  return folder;
}

/** A server gives the files of templates back when it stops, except where they are shared by links, as they soon will be. */
function markAsShared(): void {
  const layers = join(PREPARED, 'data', 'isolation', 'layers');
  const marks = join(PREPARED, 'marks');
  rmSync(marks, { recursive: true, force: true });
  mkdirSync(marks);
  for (const name of readdirSync(layers).filter((entry) => !entry.startsWith('.')))
    linkSync(join(layers, name, 'layer.json'), join(marks, name));
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
