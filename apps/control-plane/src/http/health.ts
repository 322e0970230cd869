import { type Health, HostStatus, PROTOCOL_VERSION, type PartHealth } from '@ship/protocol';
import type { WorkspaceIdentity } from '../workspace/identity.ts';

export interface HealthSources {
  version: string;
  /** Absent in the cloud, where the platform supervises. */
  host: { fetch(url: string, init?: RequestInit): Promise<Response> } | undefined;
  workspace: () => { identity(): Promise<WorkspaceIdentity> };
}

const HOST_TIMEOUT_MS = 2_000;

/** Asks every part at the moment of the question: a remembered "up" would be a lie as soon as the part dies. */
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
    return [downPart('host', 'The host process does not answer on its private socket.')];
  }
}

/** Really reads and, the first time, writes a row: proves that the objects' disk works. */
async function readStorage(workspace: HealthSources['workspace']): Promise<PartHealth> {
  try {
    const { workspaceId, createdAt, awakeSince } = await workspace().identity();
    const since = new Date(awakeSince).toISOString();
    return {
      name: 'storage',
      state: 'up',
      since,
      restarts: 0,
      detail: `${workspaceId}, made ${new Date(createdAt).toISOString().slice(0, 10)}`,
    };
  } catch {
    return downPart('storage', 'The Workspace object cannot read its storage.');
  }
}

function downPart(name: string, detail: string): PartHealth {
  return { name, state: 'down', since: new Date().toISOString(), restarts: 0, detail };
}
