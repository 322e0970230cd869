import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { prepareToolchains } from './index.ts';

function makeData(): string {
  const data = mkdtempSync(join(tmpdir(), 'ship-toolchains-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  return data;
}

it('[TL4] writes a list that is readable inside, independent of the umask', async () => {
  const umask = process.umask(0o077);
  onTestFinished(() => void process.umask(umask));
  const { base, mounts, entries } = await prepareToolchains(makeData(), 'none');
  expect(mounts).toEqual([]);
  const file = join(base, 'toolchains.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ toolchains: entries });
  expect([base, file].map((path) => statSync(path).mode & 0o777)).toEqual([0o755, 0o644]);
});

it('removes folders of earlier sets, but never while sandboxes exist', async () => {
  const data = makeData();
  const older = join(data, 'toolchains', 'older');
  mkdirSync(older, { recursive: true });
  mkdirSync(join(data, 'sandboxes', 'running'), { recursive: true });
  const { base } = await prepareToolchains(data, 'none');
  expect(existsSync(older)).toBe(true);
  rmSync(join(data, 'sandboxes', 'running'), { recursive: true });
  expect((await prepareToolchains(data, 'none')).base).toBe(base);
  expect([existsSync(older), existsSync(base)]).toEqual([false, true]);
});
