/** What the host tells the supervisor when it starts it, through a descriptor and never through the environment. */
export interface EnvdConfig {
  listenerFd: number;
  accessToken: string | undefined;
  /** Environment of every process inside. */
  env: Record<string, string>;
  /** False when `root` and `user` are one uid: then no call may try to change the owner of anything. */
  separateRoot: boolean;
  /** Where the server's egress socket appears inside; undefined leaves the sandbox without a way out. */
  egressSocket: string | undefined;
  /** Folders of the machine's toolchains, between the template's own programs and the system's. */
  toolPath?: readonly string[];
  /** Links to make where nothing is yet: a Python built for its own folder finds its library by that path alone. */
  toolLinks?: ReadonlyArray<{ path: string; target: string }>;
  limits: { memoryMb: number; cpuCount: number; diskMb: number };
}

/** The version that the SDK sees; it switches features on by it. */
export const ENVD_VERSION = '0.6.13';

/** What the supervisor writes on its error output when it has its settings and will serve the door. */
export const READY_LINE = 'envd runs\n';
