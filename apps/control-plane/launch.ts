/** The command line that runs the control plane on one machine with `workerd.capnp`. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { EnvironmentBindings } from './src/environment.ts';

const require = createRequire(import.meta.url);

export interface LaunchOptions {
  port: number;
  /** False on a machine without IPv6: its socket is then bound to an unused unix address. */
  ipv6: boolean;
  /** The parent already listens, and the process inherits its sockets as `LISTENER_FDS`. */
  inheritsListeners?: boolean;
  objectsFolder: string;
  artifactsFolder: string;
  pageFolder: string;
  /** Relative to the process's working folder, because a socket's path may have at most 107 bytes. */
  hostSocket: string;
  bindings: LaunchBindings;
}

/** Bindings that workerd reads from its environment, each with the prefix `SHIP_`. */
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
  /** The token that the local user's programs send. */
  LOCAL_TOKEN: string;
  /** Hex keys for secrets at rest, separated by commas, newest first. */
  SECRETS_KEYS: string;
}

/** Services of `workerd.capnp` with one address each, and the binding that holds the address. */
const DESTINATIONS = [
  ['sandbox-api', 'E2B_API_URL'],
  ['sandboxes', 'E2B_SANDBOX_URL'],
  ['forge', 'FORGE_API_URL'],
  ['demo-model', 'DEMO_MODEL_URL'],
] as const satisfies [service: string, binding: keyof LaunchBindings][];

/** workerd requires an address for each service. The address of an absent component has no listener. */
const ABSENT_ADDRESS = 'unix-abstract:ship-absent';

/** Rejects other protocols: these components run on this machine and speak plain HTTP. */
function addressOf(url: string | undefined): string {
  if (!url) return ABSENT_ADDRESS;
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:') throw new Error(`${url} must be an http address of this machine`);
  return `${hostname}:${port || '80'}`;
}

/** The file descriptor on which workerd reports that it listens. */
export const CONTROL_FD = 3 as const;
/** File descriptors of inherited listening sockets. */
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
    // Not arguments: every user of the machine can read those.
    env: Object.fromEntries(
      Object.entries(bindings).map(([name, value]) => [`SHIP_${name}`, String(value)]),
    ),
  };
}
