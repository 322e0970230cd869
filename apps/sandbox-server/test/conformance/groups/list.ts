import { randomUUID } from 'node:crypto';

import { Sandbox, SandboxNotFoundError } from 'e2b';
import { describe, expect, it } from 'vitest';

import { until, type Target } from '../target.ts';

export function listTests(target: () => Target): void {
  describe('list and life cycle', () => {
    it('lists by metadata, state, template and page, in order', async () => {
      const run = randomUUID();
      const { options } = target();
      const made: Sandbox[] = [];
      for (const odd of ['a b', 'c&d=é', 'x'])
        made.push(await target().create({ metadata: { run, odd } }));
      const [first, second, third] = made;
      await second?.pause();
      const idsOf = async (query: object, extra: object = {}): Promise<string[]> => {
        const paginator = Sandbox.list({
          ...options,
          ...extra,
          query: { metadata: { run }, ...query },
        });
        const ids: string[] = [];
        while (paginator.hasNext)
          ids.push(...(await paginator.nextItems()).map(({ sandboxId }) => sandboxId));
        return ids;
      };
      const all = made.map(({ sandboxId }) => sandboxId);
      expect(await idsOf({}, { limit: 1 })).toEqual(all.toReversed());
      expect(await idsOf({}, { order: 'asc' })).toEqual(all);
      expect(await idsOf({ state: ['paused'] })).toEqual([second?.sandboxId]);
      expect(await idsOf({ state: ['running'] })).toEqual([third?.sandboxId, first?.sandboxId]);
      expect(await idsOf({ metadata: { run, odd: 'c&d=é' } })).toEqual([second?.sandboxId]);
      expect(await idsOf({ template: 'base' })).toHaveLength(3);
      expect(await idsOf({ startedAfter: new Date(Date.now() + 60_000) })).toEqual([]);
    });

    it('returns its own info', async () => {
      const sandbox = await target().create({ metadata: { who: 'me' }, timeoutMs: 60_000 });
      const info = await sandbox.getInfo();
      expect(info).toMatchObject({
        sandboxId: sandbox.sandboxId,
        metadata: { who: 'me' },
        state: 'running',
      });
      expect(info.lifecycle).toEqual({ onTimeout: 'kill', autoResume: false });
      const lifeMs = Number(info.endAt) - Number(info.startedAt);
      expect(Math.abs(lifeMs - 60_000)).toBeLessThan(2_000);
      expect(info.cpuCount).toBeGreaterThan(0);
      expect(info.memoryMB).toBeGreaterThan(0);
    });

    it('can be connected to by id', async () => {
      const sandbox = await target().create();
      await sandbox.files.write('shared', 'yes');
      const other = await Sandbox.connect(sandbox.sandboxId, target().options);
      expect(await other.files.read('shared')).toBe('yes');
      await expect(Sandbox.connect('inotthere000', target().options)).rejects.toThrow(
        SandboxNotFoundError,
      );
    });

    it('ends at its timeout, not before, and respects a new timeout', async () => {
      const sandbox = await target().create({ timeoutMs: 2_000 });
      const longer = await target().create({ timeoutMs: 2_000 });
      await longer.setTimeout(60_000);
      await until('the first has ended', async () => !(await sandbox.isRunning()));
      expect(await longer.isRunning()).toBe(true);
      await expect(sandbox.getInfo()).rejects.toThrow(SandboxNotFoundError);
    });

    it('has real metrics', async () => {
      const sandbox = await target().create();
      await sandbox.commands.run('head -c 20000000 /dev/urandom > /home/user/some-data');
      const metrics = await until('metrics', async () => {
        const found = await sandbox.getMetrics();
        return found.length > 0 && found;
      });
      const last = metrics.at(-1);
      expect(last?.memUsed).toBeGreaterThan(1_000_000);
      expect(last?.memTotal).toBeGreaterThan(last?.memUsed ?? 0);
      expect(last?.cpuCount).toBeGreaterThan(0);
      expect(last?.diskTotal).toBeGreaterThan(20_000_000);
    });
  });
}
