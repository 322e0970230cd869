import type { EgressServer } from '../egress/server.ts';
import type { LedgerStore } from '../egress/ledger-store.ts';
import type { IsolationBackend, Limits, SandboxSpec } from '../isolation/backend.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { LayerRecord, SandboxRecord } from '../store/records.ts';
import type { Clock } from './clock.ts';
import type { EventLog } from './event-log.ts';
import type { KeyedMutex } from './keyed-mutex.ts';

/** A template that sandboxes can be created from, as the API sees it. */
export interface TemplateInfo {
  templateId: string;
  names: string[];
  limits: Limits;
  createdAtMs: number;
}

/** Source of templates. */
export interface TemplateCatalog {
  list(): Promise<TemplateInfo[]>;
  /** The layer of a listed template, built now if necessary; the signal aborts a build that this call started. */
  layerOf(templateId: string, signal?: AbortSignal): Promise<string>;
}

/** Closes all connections into a sandbox when it pauses or ends. */
export interface ConnectionCloser {
  dropConnections(id: string): void;
}

/** The server's own calls to the envd of a sandbox. */
export interface EnvdControl {
  /** Applies the settings that are known only when a pooled sandbox is claimed. */
  init(id: string, accessToken: string | undefined, env: Record<string, string>): Promise<void>;
  /** Runs a no-op command, so that the claimer's first command finds warm code and caches. */
  warmUp(id: string, accessToken: string | undefined): Promise<void>;
}

/** Dependencies of the life cycle. */
export interface LifecycleContext {
  backend: IsolationBackend;
  clock: Clock;
  records: RecordStore<SandboxRecord>;
  layers: RecordStore<LayerRecord>;
  egress: EgressServer;
  ledgers: LedgerStore;
  mutex: KeyedMutex;
  events: EventLog;
  connections: ConnectionCloser;
  envd: EnvdControl;
}

export function specOf(context: LifecycleContext, record: SandboxRecord): SandboxSpec {
  return {
    id: record.id,
    layer: record.layer,
    limits: record.limits,
    env: record.env,
    accessToken: record.accessToken,
    egressSocket: context.egress.socketPath(record.id),
    readOnly: readOnlyFolders(record.metadata),
  };
}

/** Metadata key by which the creator of a sandbox names read-only folders, separated by colons. */
const READ_ONLY_KEY = 'ship.readOnly';
const MAX_READ_ONLY = 16;

function readOnlyFolders(metadata: Readonly<Record<string, string>>): string[] {
  const named = (metadata[READ_ONLY_KEY] ?? '').split(':').filter((path) => path.startsWith('/'));
  return named.slice(0, MAX_READ_ONLY);
}
