import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { RecordStore } from '../../src/store/record-store.ts';

const WRITER = fileURLToPath(new URL('write-forever.ts', import.meta.url));
const schema = z.object({ id: z.string(), n: z.number(), pad: z.string() });

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ship-store-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function reopened(): Promise<{
  store: RecordStore<z.infer<typeof schema>>;
  damaged: string[];
}> {
  const store = new RecordStore(folder, schema);
  return { store, ...(await store.load()) };
}

describe('record store', () => {
  it('keeps the last of many concurrent writes', async () => {
    const { store } = await reopened();
    const writes = Array.from({ length: 50 }, (_, n) => store.put({ id: 'one', n, pad: '' }));
    expect(store.get('one')?.n).toBe(49);
    await Promise.all([...writes, store.put({ id: 'two', n: 0, pad: '' }), store.delete('two')]);
    const again = (await reopened()).store;
    expect(again.all()).toEqual([{ id: 'one', n: 49, pad: '' }]);
  });

  it('a staged record takes effect when committed, and leaves nothing otherwise', async () => {
    const { store } = await reopened();
    const first = await store.stage({ id: 'one', n: 1, pad: '' });
    await (await store.stage({ id: 'two', n: 1, pad: '' })).discard();
    expect([store.all(), (await reopened()).store.all()]).toEqual([[], []]);
    // Reopening has removed the staged file, as a restart does: the commit must fail.
    await expect(first.commit({ id: 'one', n: 2, pad: '' })).rejects.toThrow('ENOENT');
    await (await store.stage({ id: 'one', n: 1, pad: '' })).commit({ id: 'one', n: 2, pad: '' });
    expect(store.get('one')?.n).toBe(2);
    expect((await reopened()).store.get('one')?.n).toBe(1);
    expect(await readdir(folder)).toEqual(['one.json']);
  });

  it(
    'loses no acknowledged write and damages nothing when killed while writing',
    { timeout: 30_000 },
    async () => {
      for (const afterWrites of [1, 40, 333]) {
        const child = spawn(process.execPath, [WRITER, folder], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let output = '';
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
        while (output.split('\n').length <= afterWrites) await once(child.stdout, 'data');
        child.kill('SIGKILL');
        await once(child, 'exit');
        const acknowledged = Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1));
        const { store, damaged } = await reopened();
        expect(damaged).toEqual([]);
        expect(Math.max(...store.all().map(({ n }) => n))).toBeGreaterThanOrEqual(acknowledged);
        for (const { id, n, pad } of store.all())
          expect([id, pad.length]).toEqual([`r${n % 7}`, n % 5_000]);
        await Promise.all(store.all().map(({ id }) => store.delete(id)));
      }
    },
  );
});
