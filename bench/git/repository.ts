import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';

const FILES = 7_000;
const FILE_BYTES = 4_500;
const OLD_COMMITS = 40;
const OLD_FILES = 180;
const OLD_FILE_BYTES = 14_500;
const HEAVY_FILE_BYTES = 100_000;

/** About 130 MB of history and 7,000 files, like a repository that has grown: most of its bytes are history. */
export async function makeLargeRepository(folder: string): Promise<void> {
  await imported(folder, 1, async (write) => {
    const commit = async (at: number, files: number, bytes: number) => {
      await write(commitHead(at));
      for (let i = 0; i < files; i += 1) {
        const number = (i + at * files) % FILES;
        // Text that compresses by a quarter, like new code.
        const content = randomBytes(Math.floor((bytes * 3) / 4)).toString('base64');
        await write(`M 100644 inline src/part-${number % 200}/file-${number}.txt\n`);
        await write(`data ${content.length}\n${content}\n`);
      }
    };
    for (let at = 0; at < OLD_COMMITS; at += 1) await commit(at, OLD_FILES, OLD_FILE_BYTES);
    await commit(OLD_COMMITS, FILES, FILE_BYTES);
  });
  execFileSync('git', ['reset', '-q', '--hard', 'main'], { cwd: folder });
}

/** One commit of random bytes, in so many files that a forge stores the pack as it was sent. */
export async function makeHeavyRepository(folder: string, megabytes: number): Promise<void> {
  await imported(folder, 0, async (write) => {
    await write(commitHead(0));
    for (let i = 0; i < megabytes * 10; i += 1) {
      await write(`M 100644 inline part-${i % 100}/${i}.bin\ndata ${HEAVY_FILE_BYTES}\n`);
      await write(randomBytes(HEAVY_FILE_BYTES));
      await write('\n');
    }
  });
}

type Write = (piece: string | Buffer) => Promise<void>;

function commitHead(at: number): string {
  const who = `Ada <ada@example.com> ${1_700_000_000 + at * 3_600} +0000`;
  return `commit refs/heads/main\ncommitter ${who}\ndata 6\nchange\n`;
}

async function imported(folder: string, level: number, fill: (write: Write) => Promise<void>) {
  mkdirSync(folder);
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: folder });
  const child = spawn('git', ['-c', `core.compression=${level}`, 'fast-import', '--quiet'], {
    cwd: folder,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  await fill(async (piece) => {
    if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
  });
  child.stdin.end();
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}
