import { chmodSync, mkdtempSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { removeFolder } from '../../../../../scripts/testing/remove-folder.ts';
import { DiskCache } from './disk-cache.ts';

let folder: string;
const open = async (maxBytes = 1_048_576): Promise<DiskCache> => {
  const cache = new DiskCache({ folder, maxBytes, minFreeBytes: 0 });
  await cache.open();
  return cache;
};
const put = (cache: DiskCache, text: string) =>
  cache.store(Readable.from([Buffer.from(text)]), 1_000);
const entry = { contentType: 'text/plain', fetchedAtMs: 1, freshMs: 1 };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ship-cache-'));
});
afterEach(() => removeFolder(folder));

describe('the cache of the registry gateway', () => {
  it('[RG7] keeps its files across a restart, without incomplete ones', async () => {
    const first = await open();
    const stored = await put(first, 'content');
    await first.putEntry('key', { ...stored, ...entry });
    writeFileSync(join(folder, 'arriving', 'half'), 'hal');
    const second = await open();
    expect(await second.entry('key')).toEqual({ ...stored, ...entry });
    expect(await second.readText(stored)).toBe('content');
    expect(second.usedBytes).toBe(first.usedBytes);
    expect(readdirSync(join(folder, 'arriving'))).toEqual([]);
  });

  it('[RG7] a truncated file or a damaged entry counts as absent', async () => {
    const cache = await open();
    const stored = await put(cache, 'content');
    await cache.putEntry('key', { ...stored, ...entry });
    // Cache files are read-only, also for their owner unless that is root.
    chmodSync(join(folder, 'blobs', stored.blob), 0o600);
    truncateSync(join(folder, 'blobs', stored.blob), 3);
    expect(await cache.readText(stored)).toBeUndefined();
    const [name = ''] = readdirSync(join(folder, 'entries'));
    writeFileSync(join(folder, 'entries', name), '{"blob":"../../etc/passwd"');
    expect(await cache.entry('key')).toBeUndefined();
  });

  it('a stream that fails leaves nothing', async () => {
    const cache = await open();
    const broken = Readable.from(
      (function* () {
        yield Buffer.from('x');
        throw new Error('reset');
      })(),
    );
    await expect(cache.store(broken, 1_000)).rejects.toThrow('closed the connection');
    expect(readdirSync(join(folder, 'arriving'))).toEqual([]);
    expect(cache.usedBytes).toBe(0);
  });
});
