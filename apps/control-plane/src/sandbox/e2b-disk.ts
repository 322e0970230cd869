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

/** Accesses files as the sandbox's user, not as root. */
const AS = { user: 'user' } as const;

/** Per folder; entries beyond are only counted as present. */
const MAX_LISTING_BYTES = 1_000_000;
const LIST_TIMEOUT_MS = 20_000;
/** Separates the listing from anything that the user's profile prints. */
const LISTING_MARK = 'ship-listing';

/**
 * E2B's own listing has all entries in one answer, and a folder can have millions. Separated by NUL, since a name can contain a
 * line feed.
 */
const LISTING = `printf '\\0${LISTING_MARK}\\0'
find -H "$1" -mindepth 1 -maxdepth 1 -printf '%y %s %f\\0' | head -c ${MAX_LISTING_BYTES + 1}`;

/** Delays before further removals of a file that an interrupted upload may still create. */
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
    return translated(async () => {
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

  /** The current size; the stream has the content at the time of reading. */
  read(path: string): Promise<{ sizeBytes: number; open: () => Promise<ReadableStream> }> {
    return translated(async () => {
      const { type, size } = await this.#files.getInfo(path, AS);
      if (type !== FileType.FILE)
        fail('invalid-input', 'This is not a file.', 'List it if it is a folder.');
      const open = () => translated(() => this.#files.read(path, { ...AS, format: 'stream' }));
      return { sizeBytes: size, open };
    });
  }

  /** Uploads to a temporary file first: E2B empties a file before it writes, so an interrupted upload would destroy it. */
  write(path: string, body: ReadableStream<Uint8Array>): Promise<SandboxFile> {
    return translated(async () => {
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
   * After an answer the service is done with the file. Without one, it may create the file after the upload was interrupted and
   * even after a first removal: the person would find a `.part` file that nothing deletes.
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
    return translated(async () => {
      if (!(await this.#files.makeDir(path, AS)))
        fail('conflict', 'A folder of this name already exists.', 'Choose another name.');
    });
  }

  /** Never overwrites: E2B's own move would replace the target silently. */
  move(from: string, to: string): Promise<void> {
    return translated(async () => {
      if (await this.#files.exists(to, AS))
        fail('conflict', 'This name is already taken.', 'Choose another name.');
      await this.#files.rename(from, to, AS);
    });
  }

  remove(path: string): Promise<void> {
    return translated(async () => {
      // E2B reports success for a missing file; a person who mistyped should learn it.
      if (!(await this.#files.exists(path, AS))) throw new FileNotFoundError(path);
      await this.#files.remove(path, AS);
    });
  }
}

const KINDS: Record<string, FolderEntry['kind']> = { f: 'file', d: 'folder', l: 'link' };

function entriesIn(printed: string): FolderEntry[] {
  const mark = `\0${LISTING_MARK}\0`;
  const listing = printed.slice(printed.indexOf(mark) + mark.length);
  // Anything after the last NUL is empty, or half an entry.
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

/** Converts failures to errors with a remedy. */
async function translated<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof FileNotFoundError)
      return fail(
        'not-found',
        'There is nothing at this path.',
        'List the folder that it should be in; it may have been moved or deleted.',
      );
    if (thrown instanceof InvalidArgumentError)
      return fail(
        'invalid-input',
        'The sandbox cannot do this with this path.',
        'Check whether it is a file or a folder, and whether a file is in the way.',
      );
    if (thrown instanceof Error && /permission[ _]denied|EACCES/i.test(thrown.message))
      return fail(
        'forbidden',
        'The user of the sandbox has no permission for this.',
        'Choose a place below /home/user or /tmp, or use sudo in the terminal.',
      );
    throw new ShipFailure(foreignFailure('sandbox', thrown));
  }
}
