import { ENVD_VERSION } from '../envd/config.ts';
import type { LayerRecord, SandboxRecord } from '../store/records.ts';

/** Records in the format that E2B's clients expect. */
const iso = (ms: number): string => new Date(ms).toISOString();

/** Also in the metadata, because every client shows those. */
const PROCESSES_LOST_KEY = 'ship.processesLostAt';

/** Whether a sandbox that is or was paused kept its processes; absent if it was never paused. */
const MEMORY_KEY = 'ship.memory';

function metadataOf(record: SandboxRecord): Record<string, string> {
  const { metadata, phase, processesLostAtMs, wokeWith } = record;
  const has = phase.state === 'paused' ? phase.keeps : wokeWith;
  return {
    ...metadata,
    ...(processesLostAtMs === undefined ? {} : { [PROCESSES_LOST_KEY]: iso(processesLostAtMs) }),
    ...(has === undefined ? {} : { [MEMORY_KEY]: has === 'memory' ? 'kept' : 'dropped' }),
  };
}

export function sandboxView(record: SandboxRecord, domain: string): Record<string, unknown> {
  return {
    sandboxID: record.id,
    templateID: record.templateId,
    ...(record.alias === undefined ? {} : { alias: record.alias }),
    clientID: 'local',
    envdVersion: ENVD_VERSION,
    domain,
    ...(record.accessToken === undefined ? {} : { envdAccessToken: record.accessToken }),
    ...(record.trafficToken === undefined ? {} : { trafficAccessToken: record.trafficToken }),
  };
}

export function listedView(record: SandboxRecord): Record<string, unknown> {
  const { phase } = record;
  const endAtMs = phase.state === 'running' || phase.state === 'paused' ? phase.endAtMs : 0;
  return {
    sandboxID: record.id,
    templateID: record.templateId,
    ...(record.alias === undefined ? {} : { alias: record.alias }),
    clientID: 'local',
    startedAt: iso(record.startedAtMs),
    endAt: iso(endAtMs),
    state: phase.state === 'running' ? 'running' : 'paused',
    cpuCount: record.limits.cpuCount,
    memoryMB: record.limits.memoryMb,
    diskSizeMB: record.limits.diskMb,
    envdVersion: ENVD_VERSION,
    metadata: metadataOf(record),
    volumeMounts: [],
  };
}

export function detailView(record: SandboxRecord, domain: string): Record<string, unknown> {
  return {
    ...listedView(record),
    domain,
    ...(record.accessToken === undefined ? {} : { envdAccessToken: record.accessToken }),
    allowInternetAccess: record.allowInternetAccess ?? null,
    ...(record.network === undefined ? {} : { network: record.network }),
    lifecycle: {
      onTimeout: record.autoPause === 'off' ? 'kill' : 'pause',
      autoResume: record.autoResume,
    },
  };
}

const tagged = (name: string): string => (name.includes(':') ? name : `${name}:default`);

export function snapshotView(layer: LayerRecord): { snapshotID: string; names: string[] } {
  const [first] = layer.names;
  return { snapshotID: tagged(first ?? layer.snapshotId), names: layer.names.map(tagged) };
}
