/** Starts the real `ship` as a user would, for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Health } from '@ship/protocol';
import { onTestFinished } from 'vitest';
import { preparedDataFolder } from '../../../scripts/testing/prepared-data.ts';
import { type Running, end, launchShip } from './launch.ts';

export { type Running, end, launchShip, processesWith, until, untilReady } from './launch.ts';

export function ship(args: string[], env: NodeJS.ProcessEnv = {}): Running {
  const running = launchShip(args, env);
  onTestFinished(() => end(running));
  return running;
}

/** A data folder in which sandboxes can start at once. */
export async function preparedFolder(): Promise<string> {
  const folder = await preparedDataFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ship-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Undefined while nobody answers. */
export async function readHealth(port: number): Promise<Health | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/health`, {
      signal: AbortSignal.timeout(2_000),
    });
    return Health.parse(await response.json());
  } catch {
    return undefined;
  }
}
