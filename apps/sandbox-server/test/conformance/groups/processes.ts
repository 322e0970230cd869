import { CommandExitError, TimeoutError } from 'e2b';
import { describe, expect, it } from 'vitest';

import { until, type Target } from '../target.ts';

export function processTests(target: () => Target): void {
  describe('processes', () => {
    it('accepts input and end of input', async () => {
      const sandbox = await target().create();
      const cat = await sandbox.commands.run('cat', { background: true, stdin: true });
      await sandbox.commands.sendStdin(cat.pid, 'first ');
      await cat.sendStdin(new TextEncoder().encode('sécond'));
      await sandbox.commands.closeStdin(cat.pid);
      expect(await cat.wait()).toMatchObject({ exitCode: 0, stdout: 'first sécond' });
    });

    it('lists background processes, connects to one and receives its exit', async () => {
      const sandbox = await target().create();
      const started = await sandbox.commands.run(
        'for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done; exit 3',
        {
          background: true,
          timeoutMs: 0,
          envs: { MARK: 'm' },
        },
      );
      const listed = await sandbox.commands.list();
      expect(listed.find(({ pid }) => pid === started.pid)).toMatchObject({ envs: { MARK: 'm' } });
      await started.disconnect();
      const again = await sandbox.commands.connect(started.pid);
      const failure = await again.wait().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(CommandExitError);
      expect(failure).toMatchObject({ exitCode: 3 });
      expect(again.stdout).toMatch(/6\n$/);
    });

    it('a client that disconnects does not end the process', async () => {
      const sandbox = await target().create();
      const handle = await sandbox.commands.run('sleep 0.5; echo done > /home/user/proof', {
        background: true,
        timeoutMs: 0,
      });
      await handle.disconnect();
      expect(await until('the process kept running', () => sandbox.files.exists('proof'))).toBe(
        true,
      );
    });

    it('kills by signal, with -1 as exit code, and returns false when there is nothing to kill', async () => {
      const sandbox = await target().create();
      const sleep = await sandbox.commands.run('sleep 100', { background: true, timeoutMs: 0 });
      expect(await sandbox.commands.kill(sleep.pid)).toBe(true);
      await expect(sleep.wait()).rejects.toMatchObject({ exitCode: -1 });
      expect(await sandbox.commands.kill(999_999)).toBe(false);
    });

    it('ends all streams when the sandbox is killed, as a timeout', async () => {
      const sandbox = await target().create();
      const sleep = await sandbox.commands.run('sleep 100', { background: true, timeoutMs: 0 });
      const end = sleep.wait().catch((error: unknown) => error);
      expect(await sandbox.kill()).toBe(true);
      expect(await end).toBeInstanceOf(TimeoutError);
      expect(await sandbox.isRunning()).toBe(false);
      expect(await sandbox.kill()).toBe(false);
    });
  });
}
