import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve as resolvePath } from 'node:path';

import { getRequestListener } from '@hono/node-server';

import { createApi } from './api/app.ts';
import { assemble, type Assembly, type Parts } from './assemble.ts';
import { parseConfig, type Config, type ConfigInput } from './config.ts';
import { createDefaultParts } from './default-parts.ts';
import type { Capabilities, IsolationBackend } from './isolation/backend.ts';
import type { TemplateCatalog } from './lifecycle/context.ts';
import { messageOf } from './lifecycle/errors.ts';
import { recover } from './lifecycle/startup.ts';
import { createDoor, type Door } from './ports/door.ts';
import { attachFront } from './ports/http-server.ts';
import type { SandboxRecord } from './store/records.ts';
import { lockDataDir } from './store/data-lock.ts';

interface StartOptions {
  /** Ends a start that is under way, with everything that it has started; after the start it has no effect. */
  signal?: AbortSignal;
}
export type SandboxServerOptions = ConfigInput & Partial<Parts> & StartOptions;

export interface SandboxServer {
  apiUrl: string;
  sandboxUrl: string;
  /** Ports of sandboxes are at `PORT-ID.<domain>`. */
  domain: string;
  /**
   * `leave` (default): sandboxes run on and are found again at the next start. `pause`: they are frozen. `stop`: their
   * processes end, their files are kept.
   */
  close(sandboxes?: 'leave' | 'pause' | 'stop'): Promise<void>;
}

/** A server whose addresses are known; until it is ready it answers 503 and says why. */
export interface OpeningSandboxServer extends SandboxServer {
  /** Rejects when this machine cannot run sandboxes; the port then keeps saying so until it is closed. */
  ready: Promise<void>;
}

/** Starts the server: sandboxes of an earlier one are found again, leftovers are removed, then it is ready. */
export async function startSandboxServer(options: SandboxServerOptions): Promise<SandboxServer> {
  const { ready, ...server } = await openSandboxServer(options);
  try {
    await ready;
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Listens at once and goes on starting: whoever needs the address need not wait for the first template. */
export async function openSandboxServer(
  options: SandboxServerOptions,
): Promise<OpeningSandboxServer> {
  const parsed = parseConfig(options);
  const config: Config = { ...parsed, dataDir: resolvePath(parsed.dataDir) };
  const { signal } = options;
  signal?.throwIfAborted();
  const unlock = await lockDataDir(config.dataDir);
  const door = createDoor();
  let port: number;
  try {
    port = await bind(door.server, config);
  } catch (error) {
    await unlock();
    throw error;
  }
  const url = `http://${config.host === '::1' ? '[::1]' : config.host}:${port}`;
  const domain = config.domain ?? `localhost:${port}`;
  const started = start(config, options, domain, door);
  const ready = started.then(() => undefined);
  // Whoever closes it at once has no interest in why it did not start.
  ready.catch((error: unknown) => door.say(messageOf(error)));
  return {
    apiUrl: url,
    sandboxUrl: url,
    domain,
    ready,
    close: async (fate = 'leave') => {
      const assembly = await started.catch(() => undefined);
      await (assembly === undefined ? closeDoor(door) : closeServer(door.server, assembly, fate));
      await unlock();
    },
  };
}

async function start(
  config: Config,
  given: Partial<Parts> & StartOptions,
  domain: string,
  door: Door,
): Promise<Assembly> {
  const { signal } = given;
  let parts: Parts | undefined;
  let assembly: Assembly | undefined;
  try {
    parts = await createDefaultParts(config, given);
    signal?.throwIfAborted();
    const capabilities = await probe(parts.backend);
    signal?.throwIfAborted();
    assembly = await assemble(config, parts);
    await prepareTemplates(config, parts.catalog, signal);
    signal?.throwIfAborted();
    const { lifecycle, sandboxes, pool, metrics, memory } = assembly;
    const report = await recover(lifecycle, sandboxes, pool, parts.catalog);
    lifecycle.events.server('info', `found again: ${JSON.stringify(report)}`);
    signal?.throwIfAborted();
    letIn(config, parts, assembly, capabilities, domain, door);
    metrics.start();
    memory.start();
    pool.refill();
    return assembly;
  } catch (error) {
    if (assembly !== undefined) await letGo(assembly);
    await parts?.backend.release();
    throw signal?.aborted === true ? signal.reason : error;
  }
}

/** What `recover` took up before the start failed; the sandboxes go on and wait for the next server. */
async function letGo({ lifecycle, sandboxes, registry }: Assembly): Promise<void> {
  sandboxes.stopTimers();
  registry?.close();
  await lifecycle.egress.closeAll();
  await lifecycle.ledgers.flush();
}

/** Builds what the first sandboxes will need before anyone waits for them. */
async function prepareTemplates(
  config: Config,
  catalog: TemplateCatalog,
  signal: AbortSignal | undefined,
): Promise<void> {
  const wanted = new Set(['base', ...Object.keys(config.pool)]);
  for (const { templateId } of await catalog.list()) {
    if (wanted.has(templateId)) await catalog.layerOf(templateId, signal);
  }
}

async function probe(backend: IsolationBackend): Promise<Capabilities> {
  let found = await backend.probe();
  // A machine that was short of something for a moment would be without sandboxes until the next start.
  if ('reason' in found) found = await backend.probe();
  if ('reason' in found) {
    throw new Error(`This machine cannot isolate sandboxes: ${found.reason}\n${found.remedy}`);
  }
  return found;
}

function letIn(
  config: Config,
  parts: Parts,
  { lifecycle, sandboxes, pool, metrics, connections }: Assembly,
  capabilities: Capabilities,
  domain: string,
  door: Door,
): void {
  const api = createApi({
    apiKey: config.apiKey,
    maxTimeoutMs: config.maxTimeoutSeconds * 1_000,
    domain,
    lifecycle,
    sandboxes,
    pool,
    metrics,
    capabilities,
    toolchains: parts.toolchainEntries ?? [],
    catalog: parts.catalog,
  });
  door.open();
  attachFront(door.server, {
    domain,
    sandboxes,
    connections,
    maxInboundPerSandbox: config.maxInboundPerSandbox,
    api: getRequestListener(api.fetch, { overrideGlobalObjects: false }),
    onFailure: (message) => lifecycle.events.server('error', message),
  });
}

async function bind(server: Server, config: Config): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function closeDoor({ server }: Door): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/** A frozen one still has its processes: after a stop nobody would ever end them. */
function holdsProcesses(fate: 'pause' | 'stop') {
  return ({ phase }: SandboxRecord): boolean =>
    phase.state === 'running' ||
    (fate === 'stop' && phase.state === 'paused' && phase.keeps === 'memory');
}

async function closeServer(
  server: Server,
  { lifecycle, sandboxes, pool, metrics, memory, connections, registry }: Assembly,
  fate: 'leave' | 'pause' | 'stop',
): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  metrics.stop();
  sandboxes.stopTimers();
  // Clients keep their connections until the end: without this a sandbox that is being made would outlive the server.
  sandboxes.refuseStarts();
  await memory.stop();
  await pool.close(fate === 'leave');
  await lifecycle.mutex.idle();
  if (fate !== 'leave') {
    await Promise.all(
      sandboxes
        .visible()
        .filter(holdsProcesses(fate))
        .map(async ({ id }) => {
          try {
            await sandboxes.pause(id, fate === 'pause' ? 'memory' : 'files');
          } catch (error) {
            lifecycle.events.add(id, 'error', `it could not be paused: ${messageOf(error)}`);
          }
        }),
    );
  }
  await lifecycle.mutex.idle();
  connections.dropAll();
  server.closeAllConnections();
  await closed;
  await lifecycle.egress.closeAll();
  registry?.close();
  await lifecycle.ledgers.flush();
  await lifecycle.backend.release();
}
