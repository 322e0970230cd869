import { randomUUID } from 'node:crypto';

import { Sandbox, SandboxNotFoundError } from 'e2b';
import { describe, expect, it } from 'vitest';

import type { Target } from '../target.ts';

export function snapshotTests(target: () => Target): void {
  describe('snapshots and forks', () => {
    it('creates sandboxes from a snapshot that are independent of it and of each other', async () => {
      const source = await target().create();
      await source.files.write('state', 'before');
      const snapshot = await source.createSnapshot();
      await source.files.write('state', 'after');
      const one = await target().create({ template: snapshot.snapshotId });
      const two = await target().create({ template: snapshot.snapshotId });
      await one.files.write('state', 'one');
      expect(await two.files.read('state')).toBe('before');
      expect(await source.files.read('state')).toBe('after');
      const listed = await source.listSnapshots().nextItems();
      expect(listed.map(({ snapshotId }) => snapshotId)).toEqual([snapshot.snapshotId]);
      await source.kill();
      expect(await Sandbox.deleteSnapshot(snapshot.snapshotId, target().options)).toBe(true);
      expect(await Sandbox.deleteSnapshot(snapshot.snapshotId, target().options)).toBe(false);
      // Deleted while two sandboxes use it: they must not notice.
      expect(await two.files.read('state')).toBe('before');
      expect((await one.commands.run('cat state')).stdout).toBe('one');
    });

    it('names a snapshot, replaces it by name, and finds it by name', async () => {
      const name = `snap-${randomUUID().slice(0, 8)}`;
      const source = await target().create();
      await source.files.write('version', '1');
      const first = await source.createSnapshot({ name });
      expect(first.names[0]).toContain(name);
      await source.files.write('version', '2');
      await source.createSnapshot({ name });
      const paginator = Sandbox.listSnapshots({ ...target().options, name });
      expect(await paginator.nextItems()).toHaveLength(1);
      const made = await target().create({ template: name });
      expect(await made.files.read('version')).toBe('2');
      await Sandbox.deleteSnapshot(first.snapshotId, target().options);
    });

    it('forks a running sandbox, once and several times', async () => {
      const source = await target().create({ metadata: { who: 'source' } });
      await source.files.write('state', 'before');
      const forks = await source.fork({ count: 2, timeoutMs: 60_000 });
      expect(forks).toHaveLength(2);
      for (const fork of forks) {
        if (fork instanceof Error) throw fork;
        target().track(fork);
        expect(await fork.files.read('state')).toBe('before');
        await fork.files.write('state', 'in the fork');
      }
      expect(await source.files.read('state')).toBe('before');
      await source.kill();
      await expect(source.fork()).rejects.toThrow(SandboxNotFoundError);
    });
  });
}
