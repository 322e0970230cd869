import { join } from 'node:path';

import { ownerPolicy, type Config } from './config.ts';
import type { Dialer, Resolver } from './egress/dial.ts';
import { LedgerStore } from './egress/ledger-store.ts';
import { ledgerSchema, type LedgerFile } from './egress/ledger.ts';
import { EgressServer } from './egress/server.ts';
import type { IsolationBackend } from './isolation/backend.ts';
import { erase } from './lifecycle/boot.ts';
import { createAdmission } from './lifecycle/capacity.ts';
import type { Clock } from './lifecycle/clock.ts';
import type { LifecycleContext, TemplateCatalog } from './lifecycle/context.ts';
import { EventLog, type LogSink } from './lifecycle/event-log.ts';
import { KeyedMutex } from './lifecycle/keyed-mutex.ts';
import { MemoryMonitor } from './lifecycle/memory-monitor.ts';
import type { MemoryReader } from './lifecycle/memory-reading.ts';
import { Metrics } from './lifecycle/metrics.ts';
import { WarmPool } from './lifecycle/pool.ts';
import { Sandboxes } from './lifecycle/sandboxes.ts';
import { findSource } from './lifecycle/sources.ts';
import { Connections } from './ports/connections.ts';
import { createEnvdControl } from './ports/envd-control.ts';
import type { ToolchainEntry } from './toolchains/types.ts';
import { upstreamProxies } from './egress/upstream-proxy.ts';
import { trustedAuthorities } from './certificates/authorities.ts';
import { readCertificates } from './certificates/folder.ts';
import { openRegistryGateway, type OpenRegistryGateway } from './registry/index.ts';
import { RecordStore } from './store/record-store.ts';
import {
  layerRecord,
  sandboxRecord,
  type LayerRecord,
  type SandboxRecord,
} from './store/records.ts';

/** Replaceable dependencies: for another back end, or for tests. */
export interface ServerDeps {
  backend: IsolationBackend;
  catalog: TemplateCatalog;
  clock: Clock;
  resolve: Resolver;
  dial: Dialer;
  log: LogSink;
  readMemory: MemoryReader;
  /** Compilers, runtimes and package managers that sandboxes find. */
  toolchainEntries?: readonly ToolchainEntry[];
}

export interface Assembly {
  lifecycle: LifecycleContext;
  sandboxes: Sandboxes;
  pool: WarmPool;
  metrics: Metrics;
  memory: MemoryMonitor;
  connections: Connections;
  registry: OpenRegistryGateway | undefined;
}

const POOL_REFILL_DELAY_MS = 250;

/** Loads the state from disk and wires everything up; nothing runs yet. */
export async function assemble(config: Config, deps: ServerDeps): Promise<Assembly> {
  const state = join(config.dataDir, 'state');
  const records = new RecordStore<SandboxRecord>(join(state, 'sandboxes'), sandboxRecord);
  const layers = new RecordStore<LayerRecord>(join(state, 'layers'), layerRecord);
  const ledgerFiles = new RecordStore<LedgerFile>(join(state, 'ledgers'), ledgerSchema);
  const { backend, clock, catalog } = deps;
  const events = new EventLog(clock, deps.log);
  for (const store of [records, layers, ledgerFiles]) {
    for (const name of (await store.load()).damaged) {
      events.server('error', `${name} could not be read and was set aside as ${name}.damaged`);
    }
  }
  const owner = ownerPolicy(config.egress);
  const authorities = trustedAuthorities(readCertificates(config.certificateFiles));
  const registry = await openRegistryGateway({
    config: config.registries,
    dataDir: config.dataDir,
    minFreeDiskMb: config.capacity.minFreeDiskMb,
    owner,
    isListOnly: config.egress.onlyThese,
    resolve: deps.resolve,
    dial: deps.dial,
    proxies: upstreamProxies(config.egress.upstreamProxy, authorities),
    authorities,
    clock,
    onFailure: (message) => events.server('error', message),
  });
  const connections = new Connections(backend, (id) => records.get(id));
  const lifecycle: LifecycleContext = {
    backend,
    clock,
    records,
    layers,
    events,
    connections,
    mutex: new KeyedMutex(),
    ledgers: new LedgerStore(ledgerFiles, clock, (message) => events.server('error', message)),
    envd: createEnvdControl(() => connections),
    egress: new EgressServer({
      folder: join(config.dataDir, 'egress'),
      owner,
      registry: registry?.gateway,
      gateways: config.gateways,
      upstreamProxy: config.egress.upstreamProxy,
      authorities,
      maxConnectionsPerSandbox: config.egress.maxConnectionsPerSandbox,
      resolve: deps.resolve,
      dial: deps.dial,
      clock,
    }),
  };
  const pool = new WarmPool({
    sizes: config.pool,
    maxStartsAtOnce: config.poolStartsAtOnce,
    refillDelayMs: POOL_REFILL_DELAY_MS,
    clock,
    make: async (name) => sandboxes.makeForPool(await findSource(catalog, layers, name)),
    discard: (record) => lifecycle.mutex.run(record.id, () => erase(lifecycle, record.id)),
    onFailure: (message) => events.server('warn', message),
  });
  const memory = new MemoryMonitor(lifecycle, config.memoryPressure, deps.readMemory);
  const admission = createAdmission({
    limits: config.capacity,
    dataDir: config.dataDir,
    countSandboxes: () => records.all().filter(holdsMemory).length,
    nowMs: () => clock.nowMs(),
    readMemory: deps.readMemory,
    lowMemoryMb: config.memoryPressure.minAvailableMb,
    freeMemory: () => memory.check(),
  });
  const sandboxes = new Sandboxes(lifecycle, pool, admission);
  const metrics = new Metrics(backend, clock, () =>
    sandboxes.visible().filter(({ phase }) => phase.state === 'running'),
  );
  return { lifecycle, sandboxes, pool, metrics, memory, connections, registry };
}

/** Pooled sandboxes do not count: they give way to requested ones. */
function holdsMemory({ phase }: SandboxRecord): boolean {
  if (phase.state === 'paused') return phase.keeps === 'memory';
  return phase.state === 'running' || phase.state === 'creating';
}
