/**
 * The interface between the API and the isolation back end. Bubblewrap implements it today; gVisor or a microVM
 * can implement it later without changes to its callers. A back end knows nothing of HTTP, tokens or timeouts.
 */
import type { Duplex } from 'node:stream';

/** How a limit is enforced: immediately by the kernel, within seconds by a watchdog, or not at all on this machine. */
type Enforcement = 'hard' | 'soft' | 'none';

export interface Capabilities {
  backend: string;
  limits: Record<'memory' | 'cpu' | 'processes' | 'disk', Enforcement>;
  /** True when a `root` separate from `user` exists inside (needs more than one mapped uid). */
  separateRoot: boolean;
  /** Weaknesses of this machine, each with its fix; empty on a fully capable machine. */
  notes: string[];
}

/** The machine cannot isolate at all: the reason and the exact command that fixes it. */
export interface Unusable {
  reason: string;
  remedy: string;
}

export interface Limits {
  memoryMb: number;
  cpuCount: number;
  processes: number;
  diskMb: number;
}

export interface SandboxSpec {
  id: string;
  /** A template's layer, or a snapshot's, as `layers` knows it. */
  layer: string;
  limits: Limits;
  /** Environment of every process inside. */
  env: Record<string, string>;
  /** The token that envd requires on every call (`X-Access-Token`); undefined when the sandbox is not secured. */
  accessToken: string | undefined;
  /**
   * Unix socket of the server's egress proxy and gateways for this one sandbox; offered inside on loopback ports.
   * It must lie in a separate folder, which is mounted inside read-only: the sandbox then finds a socket that a restarted
   * server recreates, and would see any other file in it too. The folder must exist before `start`, the socket
   * need not. The socket must have mode 0666 (other uids inside connect to it). The folder's path is visible inside.
   */
  egressSocket: string;
  /** Folders inside that are read-only even for `root`; missing ones are ignored. */
  readOnly?: readonly string[] | undefined;
}

/** A folder of the host that every sandbox sees read-only at `target`; its path on the host can be read inside. */
export interface SharedFolder {
  source: string;
  target: string;
}

/** Host folders that every sandbox sees read-only below /run/toolchains, and the environment that points at them. */
export interface ToolchainMounts {
  /** Becomes /run/toolchains; contains a mount point for each entry of `mounts`. */
  base: string;
  mounts: ReadonlyArray<{ from: string; to: string }>;
  path: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Symbolic links inside, at the paths that toolchains were built for. */
  links: ReadonlyArray<{ path: string; target: string }>;
}

export type Presence = 'running' | 'frozen' | 'stopped' | 'absent';

export interface Usage {
  cpuPercent: number;
  memoryUsedBytes: number;
  memoryCacheBytes: number;
  diskUsedBytes: number;
  diskTotalBytes: number;
  processes: number;
}

export interface IsolationBackend {
  /** Runs the full strict profile once; never falls back to running on the host. */
  probe(): Promise<Capabilities | Unusable>;
  /** Starts a sandbox from its layer, or again from the files that `stop` kept. Resolves when envd answers. */
  start(spec: SandboxSpec): Promise<void>;
  /** The actual state on the machine, checked now; used after a restart of the server. */
  presence(id: string): Promise<Presence>;
  freeze(id: string): Promise<void>;
  thaw(id: string): Promise<void>;
  /** Kills the processes and keeps the files. */
  stop(id: string): Promise<void>;
  /** Kills the processes and removes files, mounts and cgroups. Idempotent. */
  destroy(id: string): Promise<void>;
  /** Snapshots the sandbox's files into a new shared layer; the sandbox keeps running. */
  capture(id: string, layer: string, isTemplate?: boolean): Promise<void>;
  removeLayer(layer: string): Promise<void>;
  usage(id: string): Promise<Usage>;
  /** A raw connection to the envd inside, over which HTTP/1.1 is spoken; `CONNECT 127.0.0.1:PORT` tunnels to a port. */
  open(id: string): Promise<Duplex>;
  /** Ids of all sandboxes that this back end has left on the machine; those unknown to the store are orphans. */
  list(): Promise<string[]>;
  /** Called when a sandbox's processes exited without `stop` or `destroy`. */
  onExit(listener: (id: string) => void): void;
  /** Called when a sandbox exceeded a limit and lost its commands or was stopped. */
  onLimit(listener: (id: string, reason: string) => void): void;
  /** Releases resources held for later starts; sandboxes keep running. */
  release(): Promise<void>;
}

/** Layers that do not come from a sandbox; used for building templates. */
export interface LayerStore {
  hasLayer(layer: string): Promise<boolean>;
  listLayers(): Promise<string[]>;
  /** Creates a base layer from the folder that `fill` populates. /home/user will belong to `user`, the rest to `root`. */
  importLayer(layer: string, fill: (folder: string) => void | Promise<void>): Promise<void>;
}
