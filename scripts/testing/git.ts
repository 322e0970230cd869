/** Git as one user has it: a fixed name, no configuration of this machine. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const environment = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

const COMMIT_ALL = `git add -A
git commit -q --allow-empty -m "$1"
git rev-parse HEAD`;

/** Git as that user runs it. */
export async function git(cwd: string, ...argv: string[]): Promise<string> {
  const { stdout } = await run('git', argv, { cwd, env: environment, maxBuffer: 1 << 28 });
  return stdout.trimEnd();
}

/** Git's output when it fails. */
export async function gitFailure(cwd: string, ...argv: string[]): Promise<string> {
  try {
    await git(cwd, ...argv);
  } catch (error) {
    return (error as { stderr: string }).stderr;
  }
  throw new Error(`git ${argv.join(' ')} was expected to fail`);
}

export async function write(folder: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

export async function commit(
  folder: string,
  files: Record<string, string | Buffer>,
  message = 'change',
): Promise<string> {
  await write(folder, files);
  // One process for three commands: Node forks, which costs a test worker of 400 MB some 25 ms each time.
  const { stdout } = await run('sh', ['-ec', COMMIT_ALL, 'sh', message], {
    cwd: folder,
    env: environment,
  });
  return stdout.trimEnd();
}
