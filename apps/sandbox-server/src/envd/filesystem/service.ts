/** filesystem.Filesystem: stat, create, move, remove and watch files. */
import { opendir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf, RpcError } from '../connect/errors.ts';
import { optionalUint32, string, type Message } from '../connect/message.ts';
import type { Call, Service } from '../connect/server.ts';
import { callUser, type Context } from '../context.ts';
import { resolvePath } from '../paths.ts';
import type { User } from '../users.ts';
import { entryOf, type Entry } from './entry.ts';
import { ensureFolder } from './folders.ts';
import { readMetadata } from './metadata.ts';
import { watchMethods } from './watch-service.ts';

/** A listing is one message: beyond this it would not fit into memory on either side. */
const MAX_ENTRIES = 100_000;

export function filesystemService(context: Context): Service {
  const target = (request: Message, call: Call, name = 'path'): { user: User; path: string } => {
    const user = callUser(context, call.username);
    return { user, path: resolvePath(string(request, name), user, context.defaultFolder) };
  };
  const watching = watchMethods(target);
  return {
    unary: {
      ...watching.unary,
      Stat: async (request, call) => ({ entry: await describe(target(request, call).path) }),
      MakeDir: async (request, call) => {
        const { user, path } = target(request, call);
        await refuseExisting(path);
        await ensureFolder(context, path, user);
        return { entry: await describe(path) };
      },
      Move: async (request, call) => {
        const { user, path: source } = target(request, call, 'source');
        const { path: destination } = target(request, call, 'destination');
        await ensureFolder(context, dirname(destination), user);
        await rename(source, destination);
        return { entry: await describe(destination) };
      },
      ListDir: async (request, call) => {
        const { path } = target(request, call);
        return { entries: await list(path, optionalUint32(request, 'depth') || 1) };
      },
      Remove: async (request, call) => {
        const { path } = target(request, call);
        if (path === '/')
          throw new RpcError('invalid_argument', 'the root folder cannot be removed');
        await rm(path, { recursive: true, force: true });
        return {};
      },
    },
    serverStream: watching.serverStream,
    clientStream: {},
  };
}

async function describe(path: string): Promise<Entry> {
  const entry = await entryOf(path);
  const metadata = (await readMetadata([path]))[path];
  return metadata === undefined ? entry : { ...entry, metadata };
}

async function refuseExisting(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (found.isDirectory())
    throw new RpcError('already_exists', `directory already exists: ${path}`);
  throw new RpcError('invalid_argument', `path already exists but it is not a directory: ${path}`);
}

/** Entries down to a depth, without following links; names are under the requested path, not its real path. */
async function list(requested: string, depth: number): Promise<Entry[]> {
  const root = await realpath(requested);
  if (!(await stat(root)).isDirectory())
    throw new RpcError('invalid_argument', `path is not a directory: ${requested}`);
  const entries: Entry[] = [];
  await walk(root, depth, async (path) => {
    if (entries.length >= MAX_ENTRIES)
      throw new RpcError(
        'resource_exhausted',
        `more than ${MAX_ENTRIES} entries; list a smaller depth`,
      );
    const entry = await entryOf(path).catch(ignoreGone);
    if (entry !== undefined) entries.push(entry);
  });
  const metadata = await readMetadata(entries.map((entry) => entry.path));
  return entries.map((entry) => {
    const own = metadata[entry.path];
    const path = join(requested, entry.path.slice(root === '/' ? 0 : root.length));
    return own === undefined ? { ...entry, path } : { ...entry, path, metadata: own };
  });
}

/** Depth first and sorted by name, so that listings are stable. */
async function walk(
  folder: string,
  depth: number,
  visit: (path: string) => Promise<void>,
): Promise<void> {
  const names: Array<{ name: string; isFolder: boolean }> = [];
  for await (const entry of await opendir(folder))
    names.push({ name: entry.name, isFolder: entry.isDirectory() });
  names.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, isFolder } of names) {
    const path = join(folder, name);
    await visit(path);
    if (isFolder && depth > 1) await walk(path, depth - 1, visit).catch(ignoreGone);
  }
}

/** Ignores a file that was removed meanwhile. */
function ignoreGone(error: unknown): undefined {
  if (errnoOf(error) === 'ENOENT') return undefined;
  throw error;
}
