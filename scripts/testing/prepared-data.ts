/**
 * Data folders whose sandbox template is there already. Building it takes seconds, and it is the same for every test; it
 * is built once and shared by hard links, as layers are never written to.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandboxServer } from '@ship/sandbox-server';
import { withSetupLock } from '../setup/lock.mjs';
import { CACHE } from '../setup/paths.mjs';

const PREPARED = join(CACHE, 'prepared-sandboxes');
/** The same for every process of one test run, so that a template that changed is noticed once, not by each test. */
const CHECKED = join(PREPARED, `checked-by-${process.ppid}`);

export async function preparedDataFolder(): Promise<string> {
  await withSetupLock(prepare, PREPARED);
  const folder = mkdtempSync(join(tmpdir(), 'ship-test-'));
  mkdirSync(join(folder, 'sandboxes'), { mode: 0o700 });
  execFileSync('cp', [
    '-al',
    join(PREPARED, 'data', 'isolation'),
    join(folder, 'sandboxes', 'isolation'),
  ]);
  return folder;
}

async function prepare(): Promise<void> {
  if (existsSync(CHECKED)) return;
  const server = await startSandboxServer({
    apiKey: 'prepare-for-tests',
    dataDir: join(PREPARED, 'data'),
  });
  await server.close('stop');
  writeFileSync(CHECKED, '');
}
