import { join } from 'node:path';
import { Sandbox } from 'e2b';
import { describe, expect, it } from 'vitest';
import { preparedFolder, processesWith, ship, temporaryFolder, until } from './ship.ts';

const KEY = 'e2b_0123456789abcdef';

interface Ready {
  apiUrl: string;
  sandboxUrl: string;
  domain: string;
}

async function serve(folder: string, ...args: string[]) {
  const running = ship(['sandbox', 'serve', '--api-key', KEY, '--data', folder, ...args]);
  const ready = await until('the JSON line', () => {
    if (running.process.exitCode !== null) throw new Error(running.output());
    const line = running
      .output()
      .split('\n')
      .find((text) => text.startsWith('{'));
    return line === undefined ? undefined : (JSON.parse(line) as Ready);
  });
  return {
    running,
    ready,
    connection: { apiKey: KEY, apiUrl: ready.apiUrl, sandboxUrl: ready.sandboxUrl },
  };
}

describe('ship sandbox serve', { timeout: 120_000 }, () => {
  it('[SV1] prints one JSON line; the unmodified e2b SDK works with it; sandboxes outlive the server by default', async () => {
    const folder = join(await preparedFolder(), 'sandboxes');
    const first = await serve(folder);
    expect(Object.keys(first.ready).sort()).toEqual(['apiUrl', 'domain', 'sandboxUrl']);
    const sandbox = await Sandbox.create('base', { ...first.connection, timeoutMs: 60_000 });
    expect((await sandbox.commands.run('echo hello from $(whoami)')).stdout).toBe(
      'hello from user\n',
    );
    first.running.process.kill('SIGTERM');
    expect(await first.running.exited).toBe(0);

    const second = await serve(folder);
    const again = await Sandbox.connect(sandbox.sandboxId, second.connection);
    expect((await again.commands.run('echo still here')).stdout).toBe('still here\n');
    await again.kill();
    second.running.process.kill('SIGTERM');
    await second.running.exited;
    expect(processesWith(folder)).toEqual([]);
  });

  it('[SV2] a missing key is a usage error with a remedy', async () => {
    const running = ship(['sandbox', 'serve', '--data', temporaryFolder()]);
    expect(await running.exited).toBe(2);
    expect(running.output()).toContain('--api-key');
  });

  it('[SV2] an invalid pool is refused before anything starts', async () => {
    const running = ship(['sandbox', 'serve', '--api-key', KEY, '--pool', 'many']);
    expect(await running.exited).toBe(2);
    expect(running.output()).toContain('base=2');
  });
});
