/** The supervisor's configuration; the host passes it through a descriptor, never through the environment. */
export interface EnvdConfig {
  listenerFd: number;
  accessToken: string | undefined;
  /** Environment of every process inside. */
  env: Record<string, string>;
  /** False when `root` and `user` are one uid: then no call may change the owner of anything. */
  separateRoot: boolean;
  /** Path of the server's egress socket inside; undefined leaves the sandbox without egress. */
  egressSocket: string | undefined;
  /** PATH entries of the machine's toolchains, between the template's programs and the system's. */
  toolPath?: readonly string[];
  /** Links to create where nothing exists: a Python finds its library only by the path that it was built for. */
  toolLinks?: ReadonlyArray<{ path: string; target: string }>;
  limits: { memoryMb: number; cpuCount: number; diskMb: number };
}

/** The version that the SDK sees; it enables features by it. */
export const ENVD_VERSION = '0.6.13';

/** The supervisor writes this line to stderr once it has its configuration and is about to serve. */
export const READY_LINE = 'envd runs\n';
