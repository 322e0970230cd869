import { describe, expect, it } from 'vitest';

import { until, type Target } from '../target.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export function ptyTests(target: () => Target): void {
  describe('pty', () => {
    it('has the requested size, accepts input, is resized, re-attached and killed', async () => {
      const sandbox = await target().create();
      let screen = '';
      const decoder = new TextDecoder();
      const onData = (data: Uint8Array): void =>
        void (screen += decoder.decode(data, { stream: true }));
      const terminal = await sandbox.pty.create({
        cols: 80,
        rows: 24,
        timeoutMs: 0,
        envs: { MARK: 'from-env' },
        cwd: '/tmp',
        onData,
      });
      await sandbox.pty.sendInput(
        terminal.pid,
        bytes('tty && stty size && echo $MARK:$PWD:$TERM\n'),
      );
      await until(
        'size 24 80',
        async () => /24 80/.test(screen) && /from-env:\/tmp:xterm/.test(screen),
      );
      expect(screen).toContain('/dev/pts/');
      await sandbox.pty.resize(terminal.pid, { cols: 100, rows: 40 });
      await sandbox.pty.sendInput(terminal.pid, bytes('stty size\n'));
      await until('size 40 100', async () => screen.includes('40 100'));

      await terminal.disconnect();
      let second = '';
      const again = await sandbox.pty.connect(terminal.pid, {
        onData: (data) => void (second += new TextDecoder().decode(data)),
      });
      await sandbox.pty.sendInput(terminal.pid, bytes('echo re-att""ached\n'));
      await until('output after the re-attachment', async () => second.includes('re-attached'));
      const end = again.wait().catch((error: unknown) => error);
      expect(await sandbox.pty.kill(terminal.pid)).toBe(true);
      await end;
      expect(await sandbox.pty.kill(terminal.pid)).toBe(false);
    });

    it('forwards a keyboard interrupt', async () => {
      const sandbox = await target().create();
      let screen = '';
      const terminal = await sandbox.pty.create({
        cols: 80,
        rows: 24,
        timeoutMs: 0,
        onData: (data) => void (screen += new TextDecoder().decode(data)),
      });
      await sandbox.pty.sendInput(terminal.pid, bytes('sleep 100; echo status:$?\n'));
      await until('the command is typed', async () => screen.includes('sleep 100'));
      await until('the interrupt arrived', async () => {
        await sandbox.pty.sendInput(terminal.pid, bytes('\u0003'));
        await sandbox.pty.sendInput(terminal.pid, bytes('echo al""ive\n'));
        return screen.includes('alive');
      });
      await sandbox.pty.sendInput(terminal.pid, bytes('exit 4\n'));
      await expect(terminal.wait()).rejects.toMatchObject({ exitCode: 4 });
    });
  });
}
