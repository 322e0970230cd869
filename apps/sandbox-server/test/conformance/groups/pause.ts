import { Sandbox } from 'e2b';
import { describe, expect, it } from 'vitest';

import { isCloud, until, type Target } from '../target.ts';

const COUNTER = 'n=0; while true; do n=$((n+1)); echo $n > /tmp/count; sleep 0.05; done';

export function pauseTests(target: () => Target): void {
  describe('pause', () => {
    it('freezes processes, and resume restores them', async () => {
      const sandbox = await target().create({ envs: { KEPT: 'env' } });
      const loop = await sandbox.commands.run(COUNTER, { background: true, timeoutMs: 0 });
      await until('it counts', () => sandbox.files.exists('/tmp/count'));
      expect(await sandbox.pause()).toBe(true);
      expect(await sandbox.pause()).toBe(false);
      expect(await sandbox.isRunning()).toBe(false);
      expect((await sandbox.getInfo()).state).toBe('paused');
      await sandbox.connect();
      expect(await sandbox.isRunning()).toBe(true);
      expect((await sandbox.commands.list()).map(({ pid }) => pid)).toContain(loop.pid);
      const count = Number(await sandbox.files.read('/tmp/count'));
      await until(
        'it keeps counting',
        async () => Number(await sandbox.files.read('/tmp/count')) > count,
      );
      const again = await sandbox.commands.connect(loop.pid);
      expect(again.pid).toBe(loop.pid);
      await again.kill();
      expect((await sandbox.commands.run('echo $KEPT')).stdout).toBe('env\n');
    });

    it('without memory, ends processes, keeps files and boots again', async () => {
      const sandbox = await target().create({ envs: { KEPT: 'env' } });
      await sandbox.files.write('/home/user/kept', 'file');
      const sleep = await sandbox.commands.run('sleep 1000', { background: true, timeoutMs: 0 });
      expect(await sandbox.pause({ keepMemory: false })).toBe(true);
      expect(await sandbox.isRunning()).toBe(false);
      await sandbox.connect();
      expect(await sandbox.files.read('/home/user/kept')).toBe('file');
      expect((await sandbox.commands.list()).map(({ pid }) => pid)).not.toContain(sleep.pid);
      expect((await sandbox.commands.run('echo $KEPT')).stdout).toBe('env\n');
    });

    it('reboots on request although memory was kept', async () => {
      const sandbox = await target().create();
      await sandbox.files.write('kept', 'file');
      const sleep = await sandbox.commands.run('sleep 1000', { background: true, timeoutMs: 0 });
      await sandbox.pause();
      const booted = await Sandbox.connect(sandbox.sandboxId, {
        ...target().options,
        onResume: 'reboot',
      });
      expect(await booted.files.read('kept')).toBe('file');
      expect((await booted.commands.list()).map(({ pid }) => pid)).not.toContain(sleep.pid);
    });

    it('pauses automatically at its timeout, and a request wakes it', async () => {
      const sandbox = await target().create({
        timeoutMs: 1_500,
        lifecycle: { onTimeout: 'pause', autoResume: true },
      });
      await sandbox.files.write('kept', 'still here');
      await until(
        'it pauses automatically',
        async () => (await sandbox.getInfo()).state === 'paused',
      );
      expect(await sandbox.files.read('kept')).toBe('still here');
      expect((await sandbox.getInfo()).state).toBe('running');
    });

    it('pauses automatically and stays paused without autoResume', async () => {
      const sandbox = await target().create({
        timeoutMs: 1_000,
        lifecycle: { onTimeout: 'pause' },
      });
      await until(
        'it pauses automatically',
        async () => (await sandbox.getInfo()).state === 'paused',
      );
      expect(await sandbox.isRunning()).toBe(false);
      const again = await Sandbox.connect(sandbox.sandboxId, {
        ...target().options,
        timeoutMs: 60_000,
      });
      expect((await again.commands.run('echo back')).stdout).toBe('back\n');
    });

    it.skipIf(isCloud)('cannot kill its own supervisor', async () => {
      const sandbox = await target().create();
      await sandbox.commands.run('kill -9 1', { user: 'root' }).catch(() => undefined);
      const details = await target().api(`/ship/sandboxes/${sandbox.sandboxId}`);
      // Pid 1 of a sandbox cannot be killed from inside, so it must still run.
      expect(details).toMatchObject({ presence: 'running', processesLostAt: null });
    });
  });
}
