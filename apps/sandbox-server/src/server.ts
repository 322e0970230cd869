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
import { createFront } from './ports/http-server.ts';
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

/** Starts the server: sandboxes of an earlier one are found again, leftovers are removed, then it listens. */
export async function startSandboxServer(options: SandboxServerOptions): Promise<SandboxServer> {
  const parsed = parseConfig(options);
  const config: Config = { ...parsed, dataDir: resolvePath(parsed.dataDir) };
  const { signal } = options;
  signal?.throwIfAborted();
  const unlock = await lockDataDir(config.dataDir);
  let assembly: Assembly | undefined;
  try {
    const parts = await createDefaultParts(config, options);
    signal?.throwIfAborted();
    const capabilities = await probe(parts.backend);
    signal?.throwIfAborted();
    assembly = await assemble(config, parts);
    await prepareTemplates(config, parts.catalog, signal);
    signal?.throwIfAborted();
    const { lifecycle, sandboxes, pool } = assembly;
    const report = await recover(lifecycle, sandboxes, pool, parts.catalog);
    lifecycle.events.server('info', `found again: ${JSON.stringify(report)}`);
    signal?.throwIfAborted();
    return await listen(config, parts, assembly, capabilities, unlock);
  } catch (error) {
    if (assembly !== undefined) await letGo(assembly);
    await unlock();
    throw signal?.aborted === true ? signal.reason : error;
  }
}

/** What `recover` took up before the start failed; the sandboxes go on and wait for the next server. */
async function letGo({ lifecycle, sandboxes }: Assembly): Promise<void> {
  sandboxes.stopTimers();
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
  const found = await backend.probe();
  if ('reason' in found) {
    throw new Error(`This machine cannot isolate sandboxes: ${found.reason}\n${found.remedy}`);
  }
  return found;
}

async function listen(
  config: Config,
  parts: Parts,
  assembly: Assembly,
  capabilities: Capabilities,
  unlock: () => Promise<void>,
): Promise<SandboxServer> {
  const { lifecycle, sandboxes, pool, metrics, memory, connections } = assembly;
  const address = { domain: config.domain ?? '' };
  const api = createApi({
    apiKey: config.apiKey,
    maxTimeoutMs: config.maxTimeoutSeconds * 1_000,
    get domain() {
      return address.domain;
    },
    lifecycle,
    sandboxes,
    pool,
    metrics,
    capabilities,
    catalog: parts.catalog,
  });
  const server = createFront({
    domain: () => address.domain,
    sandboxes,
    connections,
    maxInboundPerSandbox: config.maxInboundPerSandbox,
    api: getRequestListener(api.fetch, { overrideGlobalObjects: false }),
    onFailure: (message) => lifecycle.events.server('error', message),
  });
  const port = await bind(server, config);
  address.domain = config.domain ?? `localhost:${port}`;
  const url = `http://${config.host === '::1' ? '[::1]' : config.host}:${port}`;
  metrics.start();
  memory.start();
  pool.refill();
  return {
    apiUrl: url,
    sandboxUrl: url,
    domain: address.domain,
    close: async (fate = 'leave') => {
      await closeServer(server, assembly, fate);
      await unlock();
    },
  };
}

async function bind(server: Server, config: Config): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function closeServer(
  server: Server,
  { lifecycle, sandboxes, pool, metrics, memory, connections }: Assembly,
  fate: 'leave' | 'pause' | 'stop',
): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  metrics.stop();
  sandboxes.stopTimers();
  await memory.stop();
  await pool.close(fate === 'leave');
  if (fate !== 'leave') {
    const running = sandboxes.visible().filter(({ phase }) => phase.state === 'running');
    await Promise.all(
      running.map(async ({ id }) => {
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
  await lifecycle.ledgers.flush();
}
