import {
  type FolderEntry,
  MAX_LISTED_ENTRIES,
  type SandboxFile,
  type SandboxListing,
  ShipFailure,
  fail,
} from '@ship/protocol';
import { FileNotFoundError, FileType, InvalidArgumentError, type Sandbox } from 'e2b';
import { foreignFailure } from './failure.ts';

/** As whom files are seen and made: the one who works there, not root. */
const AS = { user: 'user' } as const;

/** A sandbox's files over E2B's own SDK. */
export class E2bDisk {
  readonly #files: Sandbox['files'];

  constructor({ files }: Sandbox) {
    this.#files = files;
  }

  list(path: string): Promise<SandboxListing> {
    return told(async () => {
      const found = await this.#files.list(path, { ...AS, depth: 1 });
      const entries = found
        .map(({ name, type, size, symlinkTarget }): FolderEntry => {
          const kind = symlinkTarget !== undefined ? 'link' : kindOf(type);
          return { name, kind, sizeBytes: kind === 'file' ? size : null };
        })
        .toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
      return {
        path,
        entries: entries.slice(0, MAX_LISTED_ENTRIES),
        truncated: entries.length > MAX_LISTED_ENTRIES,
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
        await this.#files.remove(part, AS).catch(() => undefined);
        throw thrown;
      }
    });
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

function kindOf(type: FileType | undefined): FolderEntry['kind'] {
  if (type === FileType.FILE) return 'file';
  return type === FileType.DIR ? 'folder' : 'other';
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
