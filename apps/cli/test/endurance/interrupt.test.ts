/** Runs the soak as a child process: however it ends, it must leave no process behind. */
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../launch.ts';
import { processesIn, sandboxFolders, sandboxPid } from './processes.ts';

const SOAK = fileURLToPath(new URL('../../../../scripts/soak.ts', import.meta.url));
/** Much shorter than the soak, and much longer than a loaded machine needs to end it. */
const PROMPT_MS = 45_000;

describe('a soak that ends early', { timeout: 180_000 }, () => {
  let folder: string;
  let soak: ChildProcess;
  let output: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ship-soak-'));
    output = '';
    soak = spawn(process.execPath, [SOAK, '--minutes', '10', '--seed', '7'], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [soak.stdout, soak.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  });
  afterEach(() => {
    soak.kill('SIGKILL');
    for (const pid of processesIn(folder)) process.kill(pid, 'SIGKILL');
    removeFolder(folder);
  });

  const dataFolder = () =>
    until(
      'its data folder',
      () => {
        const name = readdirSync(folder).find((each) => each.startsWith('ship-test-'));
        return name !== undefined && existsSync(join(folder, name, 'tmp'))
          ? join(folder, name)
          : undefined;
      },
      60_000,
    );
  const ended = async (): Promise<number | NodeJS.Signals | 'still running'> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), PROMPT_MS);
    try {
      if (soak.exitCode === null) await once(soak, 'exit', { signal: late.signal });
      return soak.exitCode ?? soak.signalCode ?? 'still running';
    } catch {
      return 'still running';
    } finally {
      clearTimeout(timer);
    }
  };

  it('[CH3] SIGTERM ends it and its sandboxes, even when its data folder is gone', async () => {
    const data = await dataFolder();
    // Found by its mounts, as its command line does not contain the folder.
    const isUp = (pid: number) => processesIn(data).includes(pid);
    await until(
      'a sandbox',
      () => sandboxFolders(data).some((id) => isUp(sandboxPid(data, id) ?? 0)) || undefined,
      90_000,
    );
    soak.kill('SIGTERM');
    // Without its folder a soak fails; that must not happen before it gets the signal.
    await until('its answer', () => output.includes('stopped by SIGTERM') || undefined, 60_000);
    removeFolder(data);
    expect(await ended()).toBe(143);
    expect(output).toMatch(/^stopped by SIGTERM: .*processes ended/m);
    expect(processesIn(folder)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('[CH3] a failed soak says why and ends, although other sessions still wait', async () => {
    const data = await dataFolder();
    rmSync(join(data, 'repositories'), { recursive: true });
    writeFileSync(join(data, 'repositories'), '');
    expect(await ended()).toBe(2);
    expect(output).toMatch(/^soak: .*repositories/m);
    expect(processesIn(folder)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
