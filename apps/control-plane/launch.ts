/** How to run the control plane on one machine: the command line that goes with `workerd.capnp`. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

export interface LaunchOptions {
  port: number;
  /** False on a machine without IPv6: the socket of that name is then parked on a unix path. */
  ipv6: boolean;
  objectsFolder: string;
  pageFolder: string;
  /** Relative to the process's working folder, because a socket's path may have at most 107 bytes. */
  hostSocket: string;
  /** What the one user's programs send to be let in. */
  localToken: string;
  /** Hex keys for secrets at rest, separated by commas, newest first. */
  secretsKeys: string;
  /** The forge of this machine. */
  forge?: { apiUrl: string; gitUrl: string; token: string };
}

/** The file descriptor on which workerd says that it listens. */
export const CONTROL_FD = 3 as const;

export function launchCommand({
  port,
  ipv6,
  objectsFolder,
  pageFolder,
  hostSocket,
  localToken,
  secretsKeys,
  forge,
}: LaunchOptions) {
  const { default: workerd } = require('workerd') as { default: string };
  return {
    command: workerd,
    args: [
      'serve',
      fileURLToPath(new URL('workerd.capnp', import.meta.url)),
      `--socket-addr=ipv4=127.0.0.1:${port}`,
      `--socket-addr=ipv6=${ipv6 ? `[::1]:${port}` : 'unix:ipv6-unused.sock'}`,
      `--directory-path=objects=${objectsFolder}`,
      `--directory-path=page=${pageFolder}`,
      `--external-addr=host=unix:${hostSocket}`,
      `--control-fd=${CONTROL_FD}`,
    ],
    // Not arguments: those are shown to every user of the machine.
    env: {
      SHIP_LOCAL_TOKEN: localToken,
      SHIP_SECRETS_KEYS: secretsKeys,
      ...(forge !== undefined && {
        SHIP_FORGE_API_URL: forge.apiUrl,
        SHIP_FORGE_GIT_URL: forge.gitUrl,
        SHIP_FORGE_TOKEN: forge.token,
      }),
    },
  };
}
