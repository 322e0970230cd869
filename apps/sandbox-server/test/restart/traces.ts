/** Everything that sandboxes could leave on the machine, according to the kernel's own lists. */
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Traces {
  processes: string[];
  mounts: string[];
  cgroups: string[];
  folders: string[];
}

async function listFolder(path: string): Promise<string[]> {
  return readdir(path).catch(() => []);
}

/** Processes with the data folder in their command line, working folder or mounts. */
async function findProcesses(dataDir: string, own: ReadonlySet<number>): Promise<string[]> {
  const found: string[] = [];
  for (const name of await listFolder('/proc')) {
    if (!/^[0-9]+$/.test(name) || own.has(Number(name))) continue;
    const command = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).replaceAll(
      '\0',
      ' ',
    );
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => '');
    const mounts = await readFile(`/proc/${name}/mountinfo`, 'utf8').catch(() => '');
    if (command.includes(dataDir) || cwd.includes(dataDir) || mounts.includes(dataDir))
      found.push(`${name} ${command}`);
  }
  return found;
}

export async function findCgroups(ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const walk = async (path: string, depth: number): Promise<void> => {
    for (const name of await listFolder(path)) {
      const child = join(path, name);
      if (ids.some((id) => name.includes(id))) found.push(child);
      // Files have no entries; cgroups of interest are never deep.
      if (depth > 0 && !name.includes('.')) await walk(child, depth - 1);
    }
  };
  await walk('/sys/fs/cgroup', 4);
  return found;
}

/** Folders below the data folder with a sandbox's id in their name; shared layers and the runtime have none. */
async function findFolders(dataDir: string, ids: readonly string[]): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true }).catch(() => []);
  return entries.filter((entry) => ids.some((id) => entry.includes(id)));
}

export async function findTraces(
  dataDir: string,
  ids: readonly string[],
  ownPids: readonly number[],
): Promise<Traces> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  return {
    processes: await findProcesses(dataDir, new Set([process.pid, ...ownPids])),
    mounts: mounts.filter((line) => line.includes(dataDir)),
    cgroups: await findCgroups(ids),
    folders: await findFolders(dataDir, ids),
  };
}

export const NO_TRACES: Traces = { processes: [], mounts: [], cgroups: [], folders: [] };

/** Thaws frozen processes (cgroup v1 or v2), so that a signal sent to them takes effect. */
export async function thawCgroups(id: string): Promise<void> {
  for (const path of await findCgroups([id])) {
    await writeFile(join(path, 'freezer.state'), 'THAWED').catch(() => undefined);
    await writeFile(join(path, 'cgroup.freeze'), '0').catch(() => undefined);
  }
}
