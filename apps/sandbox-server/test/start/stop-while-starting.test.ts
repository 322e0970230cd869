import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startSandboxServer, type SandboxServer } from '../../src/index.ts';
import { layoutOf } from '../../src/isolation/bubblewrap/layout.ts';
import { until } from '../conformance/target.ts';
import { findCgroups, findTraces } from '../restart/traces.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

const STOPPED = 'no longer needed';
let dataDir = '';
let templatesDir = '';
beforeAll(async () => {
  const root = await mkdtemp(join(tmpdir(), 'ship-start-'));
  dataDir = join(root, 'data');
  templatesDir = join(root, 'templates');
  await mkdir(join(templatesDir, 'base'), { recursive: true });
  await writeFile(join(templatesDir, 'base', 'template.json'), '{"description":"slow"}');
  await writeFile(join(templatesDir, 'base', 'setup.sh'), 'sleep 600');
});
afterAll(() => removeFolder(join(dataDir, '..')));

const start = (signal: AbortSignal, seen: string[] = []): Promise<SandboxServer> => {
  const log = ({ message }: { message: string }): number => seen.push(message);
  return startSandboxServer({ apiKey: 'start-test-key', dataDir, templatesDir, signal, log });
};

async function leftovers(): Promise<string[]> {
  const { processes, mounts } = await findTraces(dataDir, [], []);
  const { instance } = layoutOf(join(dataDir, 'isolation'));
  const sandboxes = await readdir(join(dataDir, 'isolation', 'sandboxes')).catch(() => []);
  return [...processes, ...mounts, ...(await findCgroups([instance])), ...sandboxes];
}

describe('a start that is aborted', () => {
  it(
    '[SV4] ends its setup script, and leaves no process, mount, cgroup or lock',
    { timeout: 60_000 },
    async () => {
      const stop = new AbortController();
      const seen: string[] = [];
      const started = start(stop.signal, seen);
      started.catch(() => {});
      await until('the setup script runs', async () =>
        (await findTraces(dataDir, [], [])).processes.some((line) => line.includes('sleep 600')),
      );
      expect(await leftovers()).not.toEqual([]);
      stop.abort(new Error(STOPPED));
      await expect(started).rejects.toThrow(STOPPED);
      expect(seen).toContain('template base: running setup.sh');
      expect(await leftovers()).toEqual([]);
      await expect(start(AbortSignal.abort(new Error(STOPPED)))).rejects.toThrow(STOPPED);
    },
  );

  it('[SV4] ends between two steps, at any point', { timeout: 60_000 }, async () => {
    for (const waitMs of [0, 50, 400]) {
      const stop = new AbortController();
      const timer = setTimeout(() => stop.abort(new Error(STOPPED)), waitMs);
      await expect(start(stop.signal)).rejects.toThrow(STOPPED);
      clearTimeout(timer);
      expect(await leftovers()).toEqual([]);
    }
  });
});
