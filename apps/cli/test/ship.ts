/** Starts the real `ship` as a user would, for tests. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Health } from '@ship/protocol';
import { onTestFinished } from 'vitest';
import { preparedDataFolder } from '../../../scripts/testing/prepared-data.ts';
import { type Running, end, launchShip, launchTyped, until } from './launch.ts';
import { removeFolder } from '../../../scripts/testing/remove-folder.ts';

export {
  type Running,
  end,
  launchOnTerminal,
  launchShip,
  processesWith,
  until,
  untilReady,
} from './launch.ts';

/** With `typed`, runs in a separate terminal with that input. */
export function ship(args: string[], env: NodeJS.ProcessEnv = {}, typed?: string): Running {
  const running = typed === undefined ? launchShip(args, env) : launchTyped(args, typed);
  onTestFinished(() => end(running));
  return running;
}

/** A data folder in which sandboxes can start immediately. */
export async function preparedFolder(): Promise<string> {
  const folder = await preparedDataFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ship-test-'));
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/**
 * On a busy machine one attempt may time out, here or in the control plane's request to the host: neither is a
 * failure.
 */
export function untilHealthy(port: number, folder: string): Promise<Health> {
  return until('health "ok"', async () => {
    const health = await readHealth(port, folder);
    return health?.status === 'ok' ? health : undefined;
  });
}

export const localToken = (folder: string): string =>
  readFileSync(join(folder, 'secrets', 'local-token'), 'utf8');

/** Undefined when there is no answer within 2 s. */
export async function readHealth(port: number, folder: string): Promise<Health | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/health`, {
      headers: { authorization: `Bearer ${localToken(folder)}` },
      signal: AbortSignal.timeout(2_000),
    });
    return Health.parse(await response.json());
  } catch {
    return undefined;
  }
}
