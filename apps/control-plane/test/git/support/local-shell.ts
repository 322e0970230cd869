/** Runs git work on this machine, for tests that need no isolation: the same arguments and the same empty environment. */
import { execFile } from 'node:child_process';
import { cleanArgv, type Shell } from '../../../src/git/work/shell.ts';

export const localShell: Shell = {
  run(argv, { cwd, env = {}, timeoutMs = 60_000 } = {}) {
    const [command, ...args] = cleanArgv(argv, env);
    return new Promise((resolve, reject) => {
      execFile(
        command,
        args,
        { cwd, timeout: timeoutMs, maxBuffer: 1 << 28, env: { GIT_DIR: '/agent/was/here' } },
        (error, stdout, stderr) => {
          if (error !== null && typeof error.code !== 'number') reject(error);
          else resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr });
        },
      );
    });
  },
};
