/** Runs a template's `setup.sh` as root in a sandbox without network, and captures the changes as a layer. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runInside } from '../isolation/run-inside.ts';
import type { IsolationBackend } from '../isolation/backend.ts';

export interface Setup {
  backend: IsolationBackend;
  dataFolder: string;
  script: string;
  from: string;
  to: string;
  signal: AbortSignal | undefined;
}

const LIMITS = { memoryMb: 2048, cpuCount: 2, processes: 512, diskMb: 8192 };
const SETUP_TIMEOUT_MS = 600_000;

export async function runSetup(setup: Setup): Promise<void> {
  const { backend } = setup;
  const id = `build-${setup.to}`;
  // Nothing listens here: the sandbox has no egress, so repeated builds of a template have the same inputs.
  const egressFolder = join(setup.dataFolder, 'build', id);
  mkdirSync(egressFolder, { recursive: true });
  await backend.destroy(id);
  try {
    await backend.start({
      id,
      layer: setup.from,
      limits: LIMITS,
      env: {},
      accessToken: undefined,
      egressSocket: join(egressFolder, 'none.sock'),
    });
    const result = await runInside(backend, id, {
      command: ['/bin/bash', '-c', readFileSync(setup.script, 'utf8')],
      user: 'root',
      cwd: '/',
      timeoutMs: SETUP_TIMEOUT_MS,
      signal: setup.signal,
    });
    if (result.exitCode !== 0) {
      throw new Error(
        `${setup.script} failed with code ${result.exitCode}:\n${result.output.slice(-2000)}`,
      );
    }
    await backend.stop(id);
    await backend.capture(id, setup.to, true);
  } finally {
    await backend.destroy(id);
    rmSync(join(setup.dataFolder, 'build'), { recursive: true, force: true });
  }
}
