import { FileNotFoundError, FileType, InvalidArgumentError, NotFoundError } from 'e2b';
import { describe, expect, it } from 'vitest';

import type { Target } from '../target.ts';

export function fileTests(target: () => Target): void {
  describe('files', () => {
    it('writes and reads in every format', async () => {
      const sandbox = await target().create();
      const info = await sandbox.files.write('deep/er/text.txt', 'content äöü');
      expect(info).toMatchObject({
        name: 'text.txt',
        type: FileType.FILE,
        path: '/home/user/deep/er/text.txt',
      });
      expect(await sandbox.files.read('deep/er/text.txt')).toBe('content äöü');
      const raw = Uint8Array.from({ length: 256 }, (_, index) => index);
      await sandbox.files.write('raw.bin', new Blob([raw]));
      expect(await sandbox.files.read('raw.bin', { format: 'bytes' })).toEqual(raw);
      expect((await sandbox.files.read('raw.bin', { format: 'blob' })).size).toBe(256);
      const stream = await sandbox.files.read('raw.bin', { format: 'stream' });
      expect(Buffer.from(await new Response(stream).arrayBuffer())).toEqual(Buffer.from(raw));
      await sandbox.files.write('empty', '');
      expect(await sandbox.files.read('empty')).toBe('');
    });

    it('overwrites, writes several in order, and as another user', async () => {
      const sandbox = await target().create();
      await sandbox.files.write('twice', 'a longer first text');
      await sandbox.files.write('twice', 'short');
      expect(await sandbox.files.read('twice')).toBe('short');
      const written = await sandbox.files.write([
        { path: 'one', data: '1' },
        { path: '/tmp/two', data: new Blob(['2']) },
        { path: 'three', data: '3' },
      ]);
      expect(written.map(({ path }) => path)).toEqual([
        '/home/user/one',
        '/tmp/two',
        '/home/user/three',
      ]);
      await sandbox.files.write('as-root', 'r', { user: 'root' });
      expect(await sandbox.files.exists('/root/as-root', { user: 'root' })).toBe(true);
    });

    it('describes entries: lists, depths, links, owners, times', async () => {
      const sandbox = await target().create();
      await sandbox.commands.run(
        'mkdir -p tree/a/b && echo 12345 > tree/f && ln -s f tree/link && chmod 640 tree/f',
      );
      const names = async (depth?: number): Promise<string[]> =>
        (await sandbox.files.list('tree', depth === undefined ? {} : { depth }))
          .map(({ path }) => path.slice(16))
          .toSorted();
      expect(await names()).toEqual(['a', 'f', 'link']);
      expect(await names(2)).toEqual(['a', 'a/b', 'f', 'link']);
      const info = await sandbox.files.getInfo('tree/f');
      expect(info).toMatchObject({
        name: 'f',
        type: FileType.FILE,
        size: 6,
        owner: 'user',
        group: 'user',
      });
      expect(info.mode & 0o777).toBe(0o640);
      expect(Math.abs(Number(info.modifiedTime) - Date.now())).toBeLessThan(60_000);
      expect((await sandbox.files.getInfo('tree/link')).symlinkTarget).toContain('f');
      expect((await sandbox.files.getInfo('tree')).type).toBe(FileType.DIR);
      await expect(sandbox.files.list('tree', { depth: 0 })).rejects.toThrow(InvalidArgumentError);
    });

    it('creates folders, renames, removes, and reports missing paths', async () => {
      const sandbox = await target().create();
      expect(await sandbox.files.makeDir('new/folder')).toBe(true);
      expect(await sandbox.files.makeDir('new/folder')).toBe(false);
      await sandbox.files.write('new/file', 'x');
      expect(await sandbox.files.rename('new/file', 'moved/file')).toMatchObject({
        path: '/home/user/moved/file',
      });
      expect([
        await sandbox.files.exists('new/file'),
        await sandbox.files.exists('moved/file'),
      ]).toEqual([false, true]);
      await sandbox.files.remove('new');
      expect(await sandbox.files.exists('new')).toBe(false);
      await expect(sandbox.files.read('missing')).rejects.toThrow(FileNotFoundError);
      await expect(sandbox.files.getInfo('missing')).rejects.toThrow(NotFoundError);
      await expect(sandbox.files.list('missing')).rejects.toThrow(NotFoundError);
      await expect(sandbox.files.rename('missing', 'x')).rejects.toThrow(NotFoundError);
      await expect(sandbox.files.list('moved/file')).rejects.toThrow(InvalidArgumentError);
    });

    it('keeps metadata of files', async () => {
      const sandbox = await target().create();
      await sandbox.files.write('tagged', 'x', { metadata: { origin: 'suite' } });
      expect((await sandbox.files.getInfo('tagged')).metadata).toEqual({ origin: 'suite' });
    });
  });
}
