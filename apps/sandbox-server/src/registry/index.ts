import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import type { Authorities } from '../certificates/authorities.ts';
import type { Dialer, Resolver } from '../egress/dial.ts';
import type { OwnerPolicy } from '../egress/policy.ts';
import type { UpstreamProxies } from '../egress/upstream-proxy.ts';
import type { Clock } from '../lifecycle/clock.ts';
import { DiskCache } from './cache/disk-cache.ts';
import { Fetcher } from './cache/fetcher.ts';
import { RegistryGateway } from './gateway.ts';
import { INSIDE_SETTINGS, INSIDE_URL, insideFiles } from './inside.ts';
import { LiveSettings, machineSource } from './settings/index.ts';
import { UpstreamClient } from './upstream/client.ts';
import { Routes } from './upstream/dial.ts';

export interface RegistryConfig {
  /** False: sandboxes have no gateway, and their clients contact registries through the egress proxy. */
  enabled: boolean;
  cacheMb: number;
  maxFileMb: number;
  /** Home folder of the settings; default: that of the user who runs the server. */
  home?: string | undefined;
  environment?: Record<string, string> | undefined;
}

interface RegistryOptions {
  config: RegistryConfig;
  dataDir: string;
  minFreeDiskMb: number;
  owner: OwnerPolicy;
  isListOnly: boolean;
  resolve: Resolver;
  dial: Dialer;
  /** The proxy that this machine itself has to use. */
  proxies: UpstreamProxies;
  authorities: Authorities;
  clock: Clock;
  onFailure: (message: string) => void;
}

const MEGABYTE = 1_048_576;
const settingsFolder = (dataDir: string): string => join(dataDir, 'registries', 'settings');

/** The folder that every sandbox sees read-only: settings of its clients, without secrets. */
export function registryShare(
  config: RegistryConfig,
  dataDir: string,
): { source: string; target: string }[] {
  if (!config.enabled) return [];
  mkdirSync(settingsFolder(dataDir), { recursive: true });
  // Independent of the umask: sandbox uids must be able to read it.
  chmodSync(settingsFolder(dataDir), 0o755);
  return [{ source: settingsFolder(dataDir), target: INSIDE_SETTINGS }];
}

function replaceReadable(path: string, text: string): void {
  const staged = `${path}.${process.pid}.new`;
  writeFileSync(staged, text);
  chmodSync(staged, 0o644);
  renameSync(staged, path);
}

export interface OpenRegistryGateway {
  gateway: RegistryGateway;
  close(): void;
}

export async function openRegistryGateway(
  options: RegistryOptions,
): Promise<OpenRegistryGateway | undefined> {
  const { config, dataDir, clock, resolve, onFailure } = options;
  if (!config.enabled) return undefined;
  registryShare(config, dataDir);
  const cache = new DiskCache({
    folder: join(dataDir, 'registries', 'cache'),
    maxBytes: config.cacheMb * MEGABYTE,
    minFreeBytes: options.minFreeDiskMb * MEGABYTE,
  });
  await cache.open();
  const source = machineSource(config.home ?? homedir(), config.environment ?? process.env);
  const settings = new LiveSettings(
    source,
    () => clock.nowMs(),
    (changed) => {
      for (const [name, text] of Object.entries(insideFiles(changed)))
        replaceReadable(join(settingsFolder(dataDir), name), text);
    },
  );
  const routes = new Routes(options.dial, options.authorities);
  const policy = { owner: options.owner, isListOnly: options.isListOnly };
  const client = new UpstreamClient({ policy, resolve, routes, proxies: options.proxies, clock });
  const maxFileBytes = config.maxFileMb * MEGABYTE;
  const fetcher = new Fetcher({ cache, client, clock, maxFileBytes });
  const gateway = new RegistryGateway({
    fetcher,
    cache,
    client,
    insideUrl: INSIDE_URL,
    settings: () => settings.current(),
    onFailure,
  });
  return { gateway, close: () => routes.close() };
}
