import { randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Failure, isErrno } from '../failure.ts';

const FOLDERS = [
  'objects',
  'artifacts',
  'sandboxes',
  'forge',
  'secrets',
  'logs',
  'run',
  'editor',
] as const;
const SECRET_BYTES = 32;

interface Announcement {
  pid: number;
  url: string;
}

/** All state of one installation, owned by one host at a time. */
export class DataFolder {
  readonly path: string;
  readonly #lock: DatabaseSync;
  readonly #runFolder: number;

  private constructor(path: string, lock: DatabaseSync, runFolder: number) {
    this.path = path;
    this.#lock = lock;
    this.#runFolder = runFolder;
  }

  static open(path: string): DataFolder {
    try {
      for (const name of FOLDERS) mkdirSync(join(path, name), { recursive: true, mode: 0o700 });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new Failure(
        `cannot use the data folder ${path}: ${error.message}`,
        'Choose another with --data FOLDER.',
      );
    }
    return new DataFolder(path, takeLock(path), openSync(join(path, 'run'), 'r'));
  }

  folder(name: (typeof FOLDERS)[number]): string {
    return join(this.path, name);
  }

  /**
   * A short path for a socket in the run folder: socket paths are limited to 107 bytes, which a deeply nested data folder would
   * exceed.
   */
  shortSocketPath(name: string): string {
    return `/proc/self/fd/${this.#runFolder}/${name}`;
  }

  /** A random secret of this installation, generated once and readable by its owner only. */
  secret(name: string): string {
    const file = join(this.folder('secrets'), name);
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error;
    }
    const secret = randomBytes(SECRET_BYTES).toString('hex');
    // Written to a temporary file and renamed: a crash must not leave a partial secret that later starts would use.
    writeFileSync(`${file}.new`, secret, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
    return secret;
  }

  announce(announcement: Announcement): void {
    writeFileSync(announcementFile(this.path), JSON.stringify(announcement), { mode: 0o600 });
  }

  close(): void {
    rmSync(announcementFile(this.path), { force: true });
    closeSync(this.#runFolder);
    this.#lock.close();
  }
}

/**
 * A lock that the kernel holds for this process (SQLite's, by fcntl). It ends with the process, even after kill -9, which would
 * leave a stale pid file.
 */
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(join(path, 'run', 'lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!isErrno(error, 'ERR_SQLITE_ERROR')) throw error;
    const other = readAnnouncement(path);
    const where = other === undefined ? '' : ` It answers at ${other.url} (process ${other.pid}).`;
    throw new Failure(
      `another Ship is using the data folder ${path}.${where}`,
      'Use that one, stop it first, or choose another folder with --data FOLDER.',
    );
  }
}

function announcementFile(path: string): string {
  return join(path, 'run', 'host.json');
}

export function readAnnouncement(path: string): Announcement | undefined {
  try {
    return JSON.parse(readFileSync(announcementFile(path), 'utf8')) as Announcement;
  } catch {
    return undefined;
  }
}
