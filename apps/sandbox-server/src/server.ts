import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve as resolvePath } from 'node:path';

import { getRequestListener } from '@hono/node-server';

import { createApi } from './api/app.ts';
import { assemble, type Assembly, type ServerDeps } from './assemble.ts';
import { parseConfig, type Config, type ConfigInput } from './config.ts';
import { createDefaultDeps } from './default-deps.ts';
import type { Capabilities, IsolationBackend } from './isolation/backend.ts';
import type { TemplateCatalog } from './lifecycle/context.ts';
import { messageOf } from './lifecycle/errors.ts';
import { recover } from './lifecycle/recovery.ts';
import { createReadinessGate, type ReadinessGate } from './ports/readiness-gate.ts';
import { attachFront } from './ports/http-server.ts';
import type { SandboxRecord } from './store/records.ts';
import { lockDataDir } from './store/data-lock.ts';

interface StartOptions {
  /** Aborts a start in progress and everything that it has started; has no effect afterwards. */
  signal?: AbortSignal;
}
export type SandboxServerOptions = ConfigInput & Partial<ServerDeps> & StartOptions;

export interface SandboxServer {
  apiUrl: string;
  sandboxUrl: string;
  /** Ports of sandboxes are at `PORT-ID.<domain>`. */
  domain: string;
  /**
   * `leave` (default): sandboxes keep running and are adopted at the next start. `pause`: they are frozen. `stop`: their
   * processes end, their files are kept.
   */
  close(sandboxes?: 'leave' | 'pause' | 'stop'): Promise<void>;
}

/** A server whose addresses are known; until it is ready it answers 503 with the reason. */
export interface OpeningSandboxServer extends SandboxServer {
  /** Rejects when this machine cannot run sandboxes; the port then keeps answering with the reason until it is closed. */
  ready: Promise<void>;
}

/** Starts the server: adopts the sandboxes of an earlier one, removes leftovers, then is ready. */
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

/** Listens immediately and continues to start: callers get the address without waiting for the first template. */
export async function openSandboxServer(
  options: SandboxServerOptions,
): Promise<OpeningSandboxServer> {
  const parsed = parseConfig(options);
  const config: Config = { ...parsed, dataDir: resolvePath(parsed.dataDir) };
  const { signal } = options;
  signal?.throwIfAborted();
  const unlock = await lockDataDir(config.dataDir);
  const gate = createReadinessGate();
  let port: number;
  try {
    port = await bind(gate.server, config);
  } catch (error) {
    await unlock();
    throw error;
  }
  const url = `http://${config.host === '::1' ? '[::1]' : config.host}:${port}`;
  const domain = config.domain ?? `localhost:${port}`;
  const started = start(config, options, domain, gate);
  const ready = started.then(() => undefined);
  // A caller that closes immediately does not handle a failed start.
  ready.catch((error: unknown) => gate.setReason(messageOf(error)));
  return {
    apiUrl: url,
    sandboxUrl: url,
    domain,
    ready,
    close: async (mode = 'leave') => {
      const assembly = await started.catch(() => undefined);
      await (assembly === undefined ? closeGate(gate) : closeServer(gate.server, assembly, mode));
      await unlock();
    },
  };
}

async function start(
  config: Config,
  given: Partial<ServerDeps> & StartOptions,
  domain: string,
  gate: ReadinessGate,
): Promise<Assembly> {
  const { signal } = given;
  let deps: ServerDeps | undefined;
  let assembly: Assembly | undefined;
  try {
    deps = await createDefaultDeps(config, given);
    signal?.throwIfAborted();
    const capabilities = await probe(deps.backend);
    signal?.throwIfAborted();
    assembly = await assemble(config, deps);
    await prepareTemplates(config, deps.catalog, signal);
    signal?.throwIfAborted();
    const { lifecycle, sandboxes, pool, metrics, memory } = assembly;
    const report = await recover(lifecycle, sandboxes, pool, deps.catalog);
    lifecycle.events.server('info', `recovered: ${JSON.stringify(report)}`);
    signal?.throwIfAborted();
    serveRequests(config, deps, assembly, capabilities, domain, gate);
    metrics.start();
    memory.start();
    pool.refill();
    return assembly;
  } catch (error) {
    if (assembly !== undefined) await releaseAssembly(assembly);
    await deps?.backend.release();
    throw signal?.aborted === true ? signal.reason : error;
  }
}

/** Releases what `recover` adopted before the start failed; the sandboxes keep running for the next server. */
async function releaseAssembly({ lifecycle, sandboxes, registry }: Assembly): Promise<void> {
  sandboxes.stopTimers();
  registry?.close();
  await lifecycle.egress.closeAll();
  await lifecycle.ledgers.flush();
}

/** Builds in advance what the first sandboxes will need. */
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
  // Without a retry, a momentary shortage would leave the machine without sandboxes until the next start.
  if ('reason' in found) found = await backend.probe();
  if ('reason' in found) {
    throw new Error(`This machine cannot isolate sandboxes: ${found.reason}\n${found.remedy}`);
  }
  return found;
}

function serveRequests(
  config: Config,
  deps: ServerDeps,
  { lifecycle, sandboxes, pool, metrics, connections }: Assembly,
  capabilities: Capabilities,
  domain: string,
  gate: ReadinessGate,
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
    toolchains: deps.toolchainEntries ?? [],
    catalog: deps.catalog,
  });
  gate.open();
  attachFront(gate.server, {
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

async function closeGate({ server }: ReadinessGate): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/** A frozen sandbox still has processes: after a stop nothing would ever end them. */
function holdsProcesses(mode: 'pause' | 'stop') {
  return ({ phase }: SandboxRecord): boolean =>
    phase.state === 'running' ||
    (mode === 'stop' && phase.state === 'paused' && phase.keeps === 'memory');
}

async function closeServer(
  server: Server,
  { lifecycle, sandboxes, pool, metrics, memory, connections, registry }: Assembly,
  mode: 'leave' | 'pause' | 'stop',
): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  metrics.stop();
  sandboxes.stopTimers();
  // Clients keep their connections until the end: without this, a sandbox in creation would outlive the server.
  sandboxes.refuseStarts();
  await memory.stop();
  await pool.close(mode === 'leave');
  await lifecycle.mutex.idle();
  if (mode !== 'leave') {
    await Promise.all(
      sandboxes
        .visible()
        .filter(holdsProcesses(mode))
        .map(async ({ id }) => {
          try {
            await sandboxes.pause(id, mode === 'pause' ? 'memory' : 'files');
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
