import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { processesIn } from './left-running.ts';

it('[AR3] finds a process by its command line or by the folder it works in, until it has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ship-left-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const byFolder = spawn('sleep', ['60'], { cwd: folder });
  const byCommand = spawn('sh', ['-c', 'sleep 60; true', folder]);
  onTestFinished(() => void [byFolder, byCommand].map((child) => child.kill('SIGKILL')));
  await vi.waitFor(() => expect(processesIn(folder)).toHaveLength(2), { timeout: 20_000 });
  byFolder.kill('SIGKILL');
  await once(byFolder, 'exit');
  await vi.waitFor(() =>
    expect(processesIn(folder)).toEqual([expect.stringContaining(String(byCommand.pid))]),
  );
});
