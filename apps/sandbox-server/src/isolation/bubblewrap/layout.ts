/** Paths of this back end in the data folder. Only this file knows the names. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';

export interface Layout {
  root: string;
  /** `layers/<name>/fs` is one overlay layer; `layers/<name>/layer.json` names the layers below it. */
  layers: string;
  sandboxes: string;
  /** Sockets of waiting launchers; on the same file system, so that each can be moved to its sandbox. */
  sockets: string;
  /** Node, the supervisor's bundle and its helpers, by content hash; mounted inside read-only. */
  runtime: string;
  /** Short and unique per data folder: names cgroups, so that two servers on one machine never collide. */
  instance: string;
}

export function layoutOf(dataFolder: string): Layout {
  return {
    root: dataFolder,
    layers: join(dataFolder, 'layers'),
    sandboxes: join(dataFolder, 'sandboxes'),
    sockets: join(dataFolder, 'doors'),
    runtime: join(dataFolder, 'runtime'),
    instance: `ship-${createHash('sha256').update(dataFolder).digest('hex').slice(0, 8)}`,
  };
}

export interface SandboxPaths {
  folder: string;
  upper: string;
  work: string;
  state: string;
  /** The launcher's pid, which it writes before anything else: even a server killed mid-start finds it again. */
  pid: string;
  socket: string;
}

const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Ids and layer names become file names and mount options: `..`, `/`, `,` or `:` in one would reach elsewhere. */
export function assertSafeName(kind: 'sandbox id' | 'layer name', name: string): void {
  if (SAFE_NAME.test(name)) return;
  throw new Error(
    `invalid ${kind} ${JSON.stringify(name.slice(0, 120))}: use letters, digits, ".", "_" and "-"`,
  );
}

export function sandboxPaths(layout: Layout, id: string): SandboxPaths {
  assertSafeName('sandbox id', id);
  const folder = join(layout.sandboxes, id);
  return {
    folder,
    upper: join(folder, 'upper'),
    work: join(folder, 'work'),
    state: join(folder, 'state.json'),
    pid: join(folder, 'pid'),
    socket: join(folder, 'door'),
  };
}
