import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';

const FILES = 7_000;
const FILE_BYTES = 4_500;
const OLD_COMMITS = 40;
const OLD_FILES = 180;
const OLD_FILE_BYTES = 14_500;

/** About 130 MB of history and 7,000 files, as a grown repository has them: most of its bytes are in the past. */
export async function makeLargeRepository(folder: string): Promise<string> {
  mkdirSync(folder);
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: folder });
  const child = spawn('git', ['-c', 'core.compression=1', 'fast-import', '--quiet'], {
    cwd: folder,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  const write = async (piece: string | Buffer) => {
    if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
  };
  const commit = async (at: number, files: number, bytes: number) => {
    const who = `Ada <ada@example.com> ${1_700_000_000 + at * 3_600} +0000`;
    await write(`commit refs/heads/main\ncommitter ${who}\ndata 6\nchange\n`);
    for (let i = 0; i < files; i += 1) {
      const number = (i + at * files) % FILES;
      // Text that compresses by a quarter, as code that was never seen before does.
      const content = randomBytes(Math.floor((bytes * 3) / 4)).toString('base64');
      await write(`M 100644 inline src/part-${number % 200}/file-${number}.txt\n`);
      await write(`data ${content.length}\n${content}\n`);
    }
  };
  for (let at = 0; at < OLD_COMMITS; at += 1) await commit(at, OLD_FILES, OLD_FILE_BYTES);
  await commit(OLD_COMMITS, FILES, FILE_BYTES);
  child.stdin.end();
  await ended;
  execFileSync('git', ['reset', '-q', '--hard', 'main'], { cwd: folder });
  return folder;
}

/** One that is nothing but bytes. */
export function makeHeavyCommit(folder: string, megabytes: number): void {
  const git = (argv: string[], input?: Buffer) =>
    execFileSync('git', ['-c', 'core.compression=0', ...argv], {
      cwd: folder,
      ...(input === undefined ? {} : { input }),
      env: { ...process.env, ...PERSON },
    })
      .toString()
      .trim();
  const lines = Array.from({ length: megabytes / 10 }, (_, i) => {
    const sha = git(['hash-object', '-w', '--stdin'], randomBytes(10_000_000));
    return `100644 blob ${sha}\tpart-${i}.bin\n`;
  });
  const tree = git(['mktree'], Buffer.from(lines.join('')));
  git(['update-ref', 'HEAD', git(['commit-tree', tree, '-m', 'bytes'])]);
  // What is random has no differences worth looking for, and looking for them is not what is measured.
  git(['-c', 'pack.window=0', 'repack', '-adq']);
}

const PERSON = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};
