import { FilesystemEventType, NotFoundError, type FilesystemEvent } from 'e2b';
import { describe, expect, it } from 'vitest';

import { until, type Target } from '../target.ts';

export function watchTests(target: () => Target): void {
  describe('watch', () => {
    it('reports creation, writes, mode changes, renames and removal', async () => {
      const sandbox = await target().create();
      await sandbox.files.makeDir('watched');
      const events: FilesystemEvent[] = [];
      const handle = await sandbox.files.watchDir('watched', (event) => void events.push(event), {
        timeoutMs: 0,
      });
      const saw = (type: FilesystemEventType, name: string) =>
        until(`${type} of ${name}`, async () =>
          events.some((event) => event.type === type && event.name === name),
        );
      await sandbox.files.write('watched/a.txt', '1');
      await saw(FilesystemEventType.CREATE, 'a.txt');
      await saw(FilesystemEventType.WRITE, 'a.txt');
      await sandbox.commands.run('chmod 600 watched/a.txt');
      await saw(FilesystemEventType.CHMOD, 'a.txt');
      await sandbox.files.rename('watched/a.txt', 'watched/b.txt');
      await saw(FilesystemEventType.RENAME, 'a.txt');
      await saw(FilesystemEventType.CREATE, 'b.txt');
      await sandbox.files.remove('watched/b.txt');
      await saw(FilesystemEventType.REMOVE, 'b.txt');
      await handle.stop();
      const count = events.length;
      await sandbox.files.write('watched/after', 'x');
      await sandbox.commands.run('sleep 0.2');
      expect(events.length).toBe(count);
    });

    it('watches new folders when recursive, and refuses a missing path', async () => {
      const sandbox = await target().create();
      await sandbox.files.makeDir('tree');
      const names = new Set<string>();
      await sandbox.files.watchDir('tree', ({ name }) => void names.add(name), {
        recursive: true,
        timeoutMs: 0,
      });
      await sandbox.files.makeDir('tree/new');
      await until('the new folder', async () => names.has('new'));
      await until('a file in the new folder', async () => {
        await sandbox.files.write('tree/new/inner.txt', String(Date.now()));
        return names.has('new/inner.txt');
      });
      await expect(sandbox.files.watchDir('missing', () => undefined)).rejects.toThrow(
        NotFoundError,
      );
    });
  });
}
