import {
  type FolderEntry,
  MAX_LISTED_ENTRIES,
  type SandboxFile,
  type SandboxListing,
  ShipFailure,
  fail,
} from '@ship/protocol';
import {
  FileNotFoundError,
  FileType,
  InvalidArgumentError,
  type Sandbox,
  SandboxError,
  TimeoutError,
} from 'e2b';
import { runBounded } from './e2b-command.ts';
import { foreignFailure } from './failure.ts';

/** As whom files are seen and made: the one who works there, not root. */
const AS = { user: 'user' } as const;

/** Of a folder. What is beyond is only known to be there. */
const MAX_LISTING_BYTES = 1_000_000;
const LIST_TIMEOUT_MS = 20_000;
/** Behind what the user's own profile may print. */
const LISTING_MARK = 'ship-listing';

/** E2B's own listing has all entries in one answer, and a folder can have millions. A line feed can be part of a name. */
const LISTING = `printf '\\0${LISTING_MARK}\\0'
find -H "$1" -mindepth 1 -maxdepth 1 -printf '%y %s %f\\0' | head -c ${MAX_LISTING_BYTES + 1}`;

/** Waits between the removals of a file that a broken upload may still create. */
const CREATED_LATE_MS = [300, 2000, 8000];

/** A sandbox's files over E2B's own SDK. */
export class E2bDisk {
  readonly #sandbox: Sandbox;
  readonly #files: Sandbox['files'];

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    this.#files = sandbox.files;
  }

  list(path: string): Promise<SandboxListing> {
    return told(async () => {
      const { type } = await this.#files.getInfo(path, AS);
      if (type === FileType.FILE) throw new InvalidArgumentError(path);
      const argv = ['bash', '-c', LISTING, 'ship', path] as const;
      const { stdout, stderr } = await runBounded(
        this.#sandbox,
        { argv, ...AS, timeoutMs: LIST_TIMEOUT_MS },
        { requestTimeoutMs: LIST_TIMEOUT_MS },
      );
      const found = entriesIn(stdout);
      if (found.length === 0 && /permission denied/i.test(stderr)) throw new Error(stderr);
      const entries = found.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
      return {
        path,
        entries: entries.slice(0, MAX_LISTED_ENTRIES),
        truncated: entries.length > MAX_LISTED_ENTRIES || stdout.length > MAX_LISTING_BYTES,
      };
    });
  }

  /** The size as it is now; the stream has what is there when it is read. */
  read(path: string): Promise<{ sizeBytes: number; open: () => Promise<ReadableStream> }> {
    return told(async () => {
      const { type, size } = await this.#files.getInfo(path, AS);
      if (type !== FileType.FILE)
        fail('invalid-input', 'This is not a file.', 'List it if it is a folder.');
      const open = () => told(() => this.#files.read(path, { ...AS, format: 'stream' }));
      return { sizeBytes: size, open };
    });
  }

  /** Beside its place first: E2B empties a file before it writes, and one that breaks off would be all that is left. */
  write(path: string, body: ReadableStream<Uint8Array>): Promise<SandboxFile> {
    return told(async () => {
      if ((await this.#kind(path)) === FileType.DIR) throw new InvalidArgumentError(path);
      const at = path.lastIndexOf('/') + 1;
      const part = `${path.slice(0, at)}.ship-${crypto.randomUUID()}.part`;
      try {
        await this.#files.write(part, body, AS);
        const { size } = await this.#files.rename(part, path, AS);
        return { path, sizeBytes: size };
      } catch (thrown) {
        await this.#discard(part, thrown);
        throw thrown;
      }
    });
  }

  /**
   * After an answer the service is done with the file. Without one, it may create the file only after the upload broke off and
   * after a first removal: the person would find a `.part` file that nothing deletes.
   */
  async #discard(part: string, reason: unknown): Promise<void> {
    const isAnswer = reason instanceof SandboxError && !(reason instanceof TimeoutError);
    const remove = () => this.#files.remove(part, AS).catch(() => undefined);
    await remove();
    for (const waitMs of isAnswer ? [] : CREATED_LATE_MS) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await remove();
    }
  }

  async #kind(path: string): Promise<FileType | undefined> {
    try {
      return (await this.#files.getInfo(path, AS)).type;
    } catch (thrown) {
      if (thrown instanceof FileNotFoundError) return undefined;
      throw thrown;
    }
  }

  makeFolder(path: string): Promise<void> {
    return told(async () => {
      if (!(await this.#files.makeDir(path, AS)))
        fail('conflict', 'There is a folder of this name already.', 'Choose another name.');
    });
  }

  /** Never over something that is there: E2B's own move would replace it without a word. */
  move(from: string, to: string): Promise<void> {
    return told(async () => {
      if (await this.#files.exists(to, AS))
        fail('conflict', 'There is something of this name already.', 'Choose another name.');
      await this.#files.rename(from, to, AS);
    });
  }

  remove(path: string): Promise<void> {
    return told(async () => {
      // E2B says nothing of what was not there; a person who mistyped should hear it.
      if (!(await this.#files.exists(path, AS))) throw new FileNotFoundError(path);
      await this.#files.remove(path, AS);
    });
  }
}

const KINDS: Record<string, FolderEntry['kind']> = { f: 'file', d: 'folder', l: 'link' };

function entriesIn(printed: string): FolderEntry[] {
  const mark = `\0${LISTING_MARK}\0`;
  const listing = printed.slice(printed.indexOf(mark) + mark.length);
  // What follows the last NUL is nothing, or half an entry.
  return listing
    .split('\0')
    .slice(0, -1)
    .flatMap((line) => {
      const [, type = '', size, name] = /^(\S) (\d+) ([^]+)$/.exec(line) ?? [];
      if (name === undefined) return [];
      const kind = KINDS[type] ?? 'other';
      return [{ name, kind, sizeBytes: kind === 'file' ? Number(size) : null }];
    });
}

const order = ({ kind, name }: FolderEntry) => `${kind === 'folder' ? 0 : 1}${name}`;

/** With what a person can do about it. */
async function told<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof FileNotFoundError)
      return fail(
        'not-found',
        'There is nothing under this path.',
        'List the folder that it should be in; it may have been moved or deleted.',
      );
    if (thrown instanceof InvalidArgumentError)
      return fail(
        'invalid-input',
        'The sandbox cannot do this with this path.',
        'Look whether it is a file or a folder, and whether a part of it is in the way.',
      );
    if (thrown instanceof Error && /permission[ _]denied|EACCES/i.test(thrown.message))
      return fail(
        'forbidden',
        'The user of the sandbox may not do this here.',
        'Choose a place below /home/user or /tmp, or use sudo in the terminal.',
      );
    throw new ShipFailure(foreignFailure('sandbox', thrown));
  }
}
