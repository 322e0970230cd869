/**
 * The door between the API and whatever keeps sandboxes apart. Bubblewrap implements it today; gVisor or a microVM
 * can implement it tomorrow without a change above this line. A back end knows nothing of HTTP, tokens or timeouts.
 */
import type { Duplex } from 'node:stream';

/** How well a limit holds: by the kernel at once, by a watchdog within seconds, or not at all on this machine. */
type Enforcement = 'hard' | 'soft' | 'none';

export interface Capabilities {
  backend: string;
  limits: Record<'memory' | 'cpu' | 'processes' | 'disk', Enforcement>;
  /** True when a `root` separate from `user` exists inside (needs more than one mapped uid). */
  separateRoot: boolean;
  /** What is weaker here than it could be, and how to mend it; empty on a fully capable machine. */
  notes: string[];
}

/** The machine cannot isolate at all: the reason and the exact command that mends it. */
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
  /** The token that envd must ask for on every call (`X-Access-Token`); undefined when the sandbox is not secured. */
  accessToken: string | undefined;
  /**
   * Unix socket of the server's egress proxy and gateways for this one sandbox; offered inside on loopback ports.
   * It must lie in a folder of its own: the folder is shown inside read-only, so that a socket that a restarted server
   * makes again is found, and anything else in it would be seen too. The folder must exist before `start`, the socket
   * need not. The socket must be mode 0666 (inside, other uids connect to it). The folder's path is visible inside.
   */
  egressSocket: string;
  /** Folders inside that stay as the layer has them, even for `root`; one that is missing there is left alone. */
  readOnly?: readonly string[] | undefined;
}

/** A folder of the host that every sandbox sees read-only at `target`; its path on the host can be read inside. */
export interface SharedFolder {
  source: string;
  target: string;
}

/** Folders of the host that every sandbox sees read-only below /run/toolchains, and how its processes find them. */
export interface ToolchainMounts {
  /** Becomes /run/toolchains; has a folder for everything that is mounted below it. */
  base: string;
  mounts: ReadonlyArray<{ from: string; to: string }>;
  path: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Links inside, from the path that a toolchain was built for. */
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
  /** What is really there, checked now; used after a restart of the server. */
  presence(id: string): Promise<Presence>;
  freeze(id: string): Promise<void>;
  thaw(id: string): Promise<void>;
  /** Ends the processes and keeps the files. */
  stop(id: string): Promise<void>;
  /** Ends the processes and removes files, mounts and cgroups. Idempotent. */
  destroy(id: string): Promise<void>;
  /** Freezes the sandbox's files into a new shared layer; the sandbox goes on. */
  capture(id: string, layer: string, isTemplate?: boolean): Promise<void>;
  removeLayer(layer: string): Promise<void>;
  usage(id: string): Promise<Usage>;
  /** A raw connection to the envd inside, over which HTTP/1.1 is spoken; `CONNECT 127.0.0.1:PORT` tunnels to a port. */
  open(id: string): Promise<Duplex>;
  /** Ids of everything that this back end has left on the machine: what the store does not know is an orphan. */
  list(): Promise<string[]>;
  /** Called when a sandbox's processes ended without `stop` or `destroy`. */
  onExit(listener: (id: string) => void): void;
  /** Called when a sandbox lost its commands, or was stopped, because it was over a limit. */
  onLimit(listener: (id: string, reason: string) => void): void;
  /** Lets go of what it holds for later starts; sandboxes go on. */
  release(): Promise<void>;
}

/** For building templates: how a layer that is not taken from a sandbox comes into being. */
export interface LayerStore {
  hasLayer(layer: string): Promise<boolean>;
  listLayers(): Promise<string[]>;
  /** Makes a base layer of the folder that `fill` fills. /home/user will belong to `user`, the rest to `root`. */
  importLayer(layer: string, fill: (folder: string) => void | Promise<void>): Promise<void>;
}
