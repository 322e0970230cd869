/** How to run the control plane on one machine: the command line that goes with `workerd.capnp`. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { EnvironmentBindings } from './src/environment.ts';

const require = createRequire(import.meta.url);

export interface LaunchOptions {
  port: number;
  /** False on a machine without IPv6: the socket of that name is then parked on a unix path. */
  ipv6: boolean;
  /** The parent listens already, and the process inherits its sockets as `LISTENER_FDS`. */
  inheritsListeners?: boolean;
  objectsFolder: string;
  artifactsFolder: string;
  pageFolder: string;
  /** Relative to the process's working folder, because a socket's path may have at most 107 bytes. */
  hostSocket: string;
  bindings: LaunchBindings;
}

/** Bindings that workerd takes from its environment, where each is named with `SHIP_` in front. */
const FROM_ENVIRONMENT = [
  'E2B_API_URL',
  'E2B_SANDBOX_URL',
  'E2B_API_KEY',
  'E2B_CLOUD_API_KEY',
  'E2B_TEMPLATE',
  'FORGE_API_URL',
  'FORGE_GIT_URL',
  'FORGE_TOKEN',
  'DEMO_MODEL_URL',
  'PUBLIC_URL',
  'GATEWAY_SECRET',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'OLLAMA_HOST',
  'GITHUB_TOKEN',
  'GITHUB_APP_ID',
  'GITHUB_APP_PRIVATE_KEY',
  'GITHUB_API_URL',
  'GITHUB_URL',
  'GITHUB_WEBHOOK_SECRET',
  'MODELS_FILE',
] as const satisfies (keyof EnvironmentBindings)[];

export interface LaunchBindings extends Partial<Record<(typeof FROM_ENVIRONMENT)[number], string>> {
  /** What the one user's programs send to be let in. */
  LOCAL_TOKEN: string;
  /** Hex keys for secrets at rest, separated by commas, newest first. */
  SECRETS_KEYS: string;
}

/** Services of `workerd.capnp` that lead to one address each, and the binding that says which. */
const DESTINATIONS = [
  ['sandbox-api', 'E2B_API_URL'],
  ['sandboxes', 'E2B_SANDBOX_URL'],
  ['forge', 'FORGE_API_URL'],
  ['demo-model', 'DEMO_MODEL_URL'],
] as const satisfies [service: string, binding: keyof LaunchBindings][];

/** workerd wants an address for each. The address of an absent part has no listener, and nothing is sent to it. */
const NOWHERE = 'unix-abstract:ship-absent';

/** These parts are on this machine, in plain HTTP. */
function addressOf(url: string | undefined): string {
  if (!url) return NOWHERE;
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:') throw new Error(`${url} must be an http address of this machine`);
  return `${hostname}:${port || '80'}`;
}

/** The file descriptor on which workerd says that it listens. */
export const CONTROL_FD = 3 as const;
/** Where inherited listening sockets are. */
export const LISTENER_FDS = { ipv4: 4, ipv6: 5 } as const;

export function launchCommand({
  port,
  ipv6,
  inheritsListeners = false,
  objectsFolder,
  artifactsFolder,
  pageFolder,
  hostSocket,
  bindings,
}: LaunchOptions) {
  const { default: workerd } = require('workerd') as { default: string };
  return {
    command: workerd,
    args: [
      'serve',
      fileURLToPath(new URL('workerd.capnp', import.meta.url)),
      inheritsListeners
        ? `--socket-fd=ipv4=${LISTENER_FDS.ipv4}`
        : `--socket-addr=ipv4=127.0.0.1:${port}`,
      ipv6 && inheritsListeners
        ? `--socket-fd=ipv6=${LISTENER_FDS.ipv6}`
        : `--socket-addr=ipv6=${ipv6 ? `[::1]:${port}` : `unix-abstract:ship-${port}-ipv6-unused`}`,
      `--directory-path=objects=${objectsFolder}`,
      `--directory-path=artifacts=${artifactsFolder}`,
      `--directory-path=page=${pageFolder}`,
      `--external-addr=host=unix:${hostSocket}`,
      ...DESTINATIONS.map(
        ([service, name]) => `--external-addr=${service}=${addressOf(bindings[name])}`,
      ),
      `--control-fd=${CONTROL_FD}`,
    ],
    // Not arguments: those are shown to every user of the machine.
    env: Object.fromEntries(
      Object.entries(bindings).map(([name, value]) => [`SHIP_${name}`, String(value)]),
    ),
  };
}
