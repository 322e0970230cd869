/**
 * Full access to the files of sandboxes, for any owner and any modes that a hostile user set: directly
 * as root, through the namespace of subordinate ids, or as root of a user namespace that maps one id.
 */
import { execFile } from 'node:child_process';
import { rename } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { HostTools } from './host-tools.ts';
import { fileOwners, type IdentityMode } from './identity.ts';
import { readSubordinateIds } from './subordinate-ids.ts';
import { openUserNamespace } from './user-namespace.ts';

const execute = promisify(execFile);

/** `du` prints one line for a tree of any size, plus a line per error. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

export interface FileOwner {
  readonly mode: IdentityMode;
  /** Path by which the launcher enters the namespace of subordinate ids. */
  readonly userNamespace: string | undefined;
  /** First subordinate id; the data folder records it, because its files belong to that range. */
  readonly uidStart: number | undefined;
  /** Why there is only one id, with its remedy; undefined otherwise. */
  readonly weakness: string | undefined;
  run(program: string, args: readonly string[]): Promise<{ stdout: string }>;
  /** rename(2), also of a folder that belongs to another id, which needs write access to it. */
  rename(from: string, to: string): Promise<void>;
  /** `rm -rf`. */
  remove(path: string): Promise<void>;
  /** Makes `root` inside the owner of a tree, and `user` the owner of /home/user in it. */
  assign(root: string): Promise<void>;
  /** Makes the server's own user the owner of a tree. */
  reclaim(root: string): Promise<void>;
}

const RANGE_REMEDY = (name: string) =>
  `sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 ${name}`;

/** The strongest owner that this machine and user allow. */
export async function openFileOwner(tools: HostTools): Promise<FileOwner> {
  if (process.getuid?.() === 0) return new DirectOwner(tools);
  if (tools.newuidmap === '' || tools.newgidmap === '')
    return new SingleIdOwner(tools, 'sudo apt-get install -y uidmap');
  const ids = readSubordinateIds();
  if (ids === undefined) return new SingleIdOwner(tools, RANGE_REMEDY('$USER'));
  try {
    const userNamespace = await openUserNamespace(tools, ids);
    return new SubordinateOwner(tools, userNamespace, ids.uidStart);
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error);
    return new SingleIdOwner(tools, `newuidmap must work for this user; it failed with: ${reason}`);
  }
}

/** One id although subordinate ids exist, for data folders whose running sandboxes have one id. */
export const singleIdOwner = (tools: HostTools, remedy: string): FileOwner =>
  new SingleIdOwner(tools, remedy);

abstract class Owner implements FileOwner {
  abstract readonly mode: IdentityMode;
  readonly userNamespace: string | undefined = undefined;
  readonly uidStart: number | undefined = undefined;
  readonly weakness: string | undefined = undefined;
  protected readonly tools: HostTools;

  constructor(tools: HostTools) {
    this.tools = tools;
  }

  protected abstract prefix(): readonly string[];

  async run(program: string, args: readonly string[]): Promise<{ stdout: string }> {
    const [first = program, ...rest] = [...this.prefix(), program, ...args];
    return await execute(first, rest, { maxBuffer: MAX_OUTPUT_BYTES });
  }

  async rename(from: string, to: string): Promise<void> {
    await rename(from, to);
  }

  async remove(path: string): Promise<void> {
    await this.run(this.tools.rm, ['-rf', '--', path]);
  }

  async assign(root: string): Promise<void> {
    const owners = fileOwners(this.mode);
    if (owners === undefined) return;
    await this.#chown(owners.root, root);
    // A snapshot's layer has no home folder when nothing in it changed.
    await this.#chown(owners.user, `${root}/home/user`).catch(() => undefined);
  }

  async reclaim(root: string): Promise<void> {
    await this.#chown(0, root);
  }

  async #chown(id: number, path: string): Promise<void> {
    await this.run(this.tools.chown, ['-R', '-h', '-P', `${id}:${id}`, '--', path]);
  }
}

class DirectOwner extends Owner {
  readonly mode = 'root';
  protected prefix(): readonly string[] {
    return [];
  }
}

class SingleIdOwner extends Owner {
  readonly mode = 'single';
  override readonly weakness: string;

  constructor(tools: HostTools, remedy: string) {
    super(tools);
    this.weakness = remedy;
  }

  protected prefix(): readonly string[] {
    return [this.tools.unshare, '--user', '--map-root-user', '--'];
  }
}

class SubordinateOwner extends Owner {
  readonly mode = 'subordinate';
  override readonly userNamespace: string;
  override readonly uidStart: number;

  constructor(tools: HostTools, userNamespace: string, uidStart: number) {
    super(tools);
    this.userNamespace = userNamespace;
    this.uidStart = uidStart;
  }

  protected prefix(): readonly string[] {
    return [this.tools.nsenter, `--user=${this.userNamespace}`, '--preserve-credentials', '--'];
  }

  override async rename(from: string, to: string): Promise<void> {
    await this.run(this.tools.mv, ['-T', '--', from, to]);
  }
}
