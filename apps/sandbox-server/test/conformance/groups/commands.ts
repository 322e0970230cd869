import { CommandExitError, InvalidArgumentError, TimeoutError } from 'e2b';
import { describe, expect, it } from 'vitest';

import type { Target } from '../target.ts';

export function commandTests(target: () => Target): void {
  describe('commands', () => {
    it('runs with output, error output, exit code and callbacks', async () => {
      const sandbox = await target().create();
      const parts: string[] = [];
      const result = await sandbox.commands.run('echo out; echo err >&2', {
        onStdout: (data) => void parts.push(`out:${data}`),
        onStderr: (data) => void parts.push(`err:${data}`),
      });
      expect(result).toMatchObject({ exitCode: 0, stdout: 'out\n', stderr: 'err\n' });
      expect(parts.toSorted()).toEqual(['err:err\n', 'out:out\n']);
      const failure = await sandbox.commands
        .run('echo no >&2; exit 7')
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(CommandExitError);
      expect(failure).toMatchObject({ exitCode: 7, stderr: 'no\n' });
    });

    it('passes quotes, unicode and large output unchanged', async () => {
      const sandbox = await target().create();
      const text = `it's "quoted" $HOME \`x\` – ünïcödé 🚀`;
      const quoted = `'${text.replaceAll("'", `'\\''`)}'`;
      expect((await sandbox.commands.run(`printf %s ${quoted}`)).stdout).toBe(text);
      const large = await sandbox.commands.run('head -c 3000000 /dev/zero | tr "\\0" x');
      expect(large.stdout.length).toBe(3_000_000);
    });

    it('[UI2] knows its user, home, folder and environment', async () => {
      const sandbox = await target().create({ envs: { GLOBAL: 'g', BOTH: 'sandbox' } });
      const { stdout } = await sandbox.commands.run(
        'whoami; id -u; pwd; echo $HOME; echo $GLOBAL/$BOTH/$LOCAL',
        {
          envs: { BOTH: 'command', LOCAL: 'l' },
        },
      );
      expect(stdout).toBe('user\n1000\n/home/user\n/home/user\ng/command/l\n');
      const root = await sandbox.commands.run('whoami; pwd', { user: 'root', cwd: '/tmp' });
      // On a machine with one id, the server reports that, and root is that id.
      expect(root.stdout).toBe(`${(await target().hasSeparateRoot()) ? 'root' : 'user'}\n/tmp\n`);
      await sandbox.files.makeDir('folder');
      expect((await sandbox.commands.run('pwd', { cwd: 'folder' })).stdout).toBe(
        '/home/user/folder\n',
      );
      await expect(sandbox.commands.run('true', { cwd: '/missing' })).rejects.toThrow(
        InvalidArgumentError,
      );
    });

    it('ends a command at its timeout and keeps the sandbox', async () => {
      const sandbox = await target().create();
      await expect(sandbox.commands.run('sleep 30', { timeoutMs: 500 })).rejects.toThrow(
        TimeoutError,
      );
      expect((await sandbox.commands.run('echo still')).stdout).toBe('still\n');
    });

    it('runs many at once', async () => {
      const sandbox = await target().create();
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => sandbox.commands.run(`sleep 0.1; echo ${index}`)),
      );
      expect(results.map(({ stdout }) => Number(stdout))).toEqual(results.map((_, index) => index));
    });
  });
}
