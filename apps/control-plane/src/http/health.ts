import { type Health, HostStatus, PROTOCOL_VERSION, type PartHealth } from '@ship/protocol';
import type { WorkspaceIdentity } from '../workspace/identity.ts';

export interface HealthSources {
  version: string;
  /** Absent in the cloud, where the platform supervises processes. */
  host: { fetch(url: string, init?: RequestInit): Promise<Response> } | undefined;
  workspace: () => { identity(): Promise<WorkspaceIdentity> };
}

const HOST_TIMEOUT_MS = 2_000;

/** Probes every component now: a cached "up" would be wrong as soon as the component dies. */
export async function readHealth({ version, host, workspace }: HealthSources): Promise<Health> {
  const [hostParts, storage] = await Promise.all([readHost(host), readStorage(workspace)]);
  const parts = [...hostParts, storage];
  return {
    status: parts.every(({ state }) => state === 'up') ? 'ok' : 'degraded',
    version,
    protocolVersion: PROTOCOL_VERSION,
    now: new Date().toISOString(),
    parts,
  };
}

async function readHost(host: HealthSources['host']): Promise<PartHealth[]> {
  if (host === undefined) return [];
  try {
    const response = await host.fetch('http://host/status', {
      signal: AbortSignal.timeout(HOST_TIMEOUT_MS),
    });
    return HostStatus.parse(await response.json()).parts;
  } catch {
    return [downPart('host', 'The host process does not respond on its private socket.')];
  }
}

/** Reads and, the first time, writes a row, which proves that the storage of Durable Objects works. */
async function readStorage(workspace: HealthSources['workspace']): Promise<PartHealth> {
  try {
    const { workspaceId, createdAt, awakeSince } = await workspace().identity();
    const since = new Date(awakeSince).toISOString();
    return {
      name: 'storage',
      state: 'up',
      since,
      restarts: 0,
      detail: `${workspaceId}, created ${new Date(createdAt).toISOString().slice(0, 10)}`,
    };
  } catch {
    return downPart('storage', 'The Workspace object cannot read its storage.');
  }
}

function downPart(name: string, detail: string): PartHealth {
  return { name, state: 'down', since: new Date().toISOString(), restarts: 0, detail };
}
