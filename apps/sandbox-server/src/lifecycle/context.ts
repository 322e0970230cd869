import type { EgressServer } from '../egress/server.ts';
import type { LedgerBook } from '../egress/ledger-book.ts';
import type { IsolationBackend, Limits, SandboxSpec } from '../isolation/backend.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { LayerRecord, SandboxRecord } from '../store/records.ts';
import type { Clock } from './clock.ts';
import type { EventLog } from './event-log.ts';
import type { KeyedMutex } from './keyed-mutex.ts';

/** A template that sandboxes can be made of, as far as the API needs to know it. */
export interface TemplateInfo {
  templateId: string;
  names: string[];
  limits: Limits;
  createdAtMs: number;
}

/** Where templates come from. */
export interface TemplateCatalog {
  list(): Promise<TemplateInfo[]>;
  /** The layer of a listed template, built now if need be; the signal ends a build that this call has begun. */
  layerOf(templateId: string, signal?: AbortSignal): Promise<string>;
}

/** Tells the outside world that a sandbox's connections mean nothing any more. */
export interface ConnectionKeeper {
  dropConnections(id: string): void;
}

/** The server's own calls to the envd of a sandbox. */
export interface EnvdControl {
  /** Applies what is known only when a pooled sandbox is claimed. */
  init(id: string, accessToken: string | undefined, env: Record<string, string>): Promise<void>;
  /** Runs a command that does nothing, so that the claimer's first one meets warm code and caches. */
  warmUp(id: string, accessToken: string | undefined): Promise<void>;
}

/** What every part of the life cycle works with. */
export interface LifecycleContext {
  backend: IsolationBackend;
  clock: Clock;
  records: RecordStore<SandboxRecord>;
  layers: RecordStore<LayerRecord>;
  egress: EgressServer;
  ledgers: LedgerBook;
  mutex: KeyedMutex;
  events: EventLog;
  connections: ConnectionKeeper;
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

/** The creator of a sandbox names folders that nothing inside can change, separated by colons. */
const READ_ONLY_KEY = 'ship.readOnly';
const MAX_READ_ONLY = 16;

function readOnlyFolders(metadata: Readonly<Record<string, string>>): string[] {
  const named = (metadata[READ_ONLY_KEY] ?? '').split(':').filter((path) => path.startsWith('/'));
  return named.slice(0, MAX_READ_ONLY);
}
