/** What work on a turn needs from outside the session. */
import type {
  DurableEnvelope,
  ModelRef,
  SessionCommand,
  SessionEvent,
  SessionId,
  SessionState,
  Settings,
  TraceSpan,
} from '@ship/protocol';
import type { AgentLauncher, AgentProvider } from '../../agent/port.ts';
import type { Forge } from '../../git/index.ts';
import type { SandboxPort } from '../../sandbox/port.ts';

/** How the agent reaches the models of a session. */
export interface ModelAccess {
  providers: readonly AgentProvider[];
  smallModel: ModelRef;
  /** Without a known price no cost is recorded. */
  isPriced: boolean;
}

interface RepositoryFacts {
  setupCommand: string | null;
  verifyCommand: string | null;
}

export interface WorkshopParts {
  /** Signs what a sandbox is given instead of keys. */
  gatewaySecret: string;
  /** Addresses under which a sandbox reaches the gateways. */
  doors: { models: string; git: string };
  /** Where people find the session. */
  sessionUrl: (sessionId: SessionId) => string | null;
  launcher: (port: SandboxPort) => AgentLauncher;
  forge: (location: string) => Promise<Forge>;
  models: (model: ModelRef) => Promise<ModelAccess>;
  modelsCapability: (sessionId: SessionId, expiresAt: number) => Promise<string>;
  repository: (location: string) => Promise<RepositoryFacts>;
}

/** As much of the session's store as judging its work needs. */
export interface WorkLog {
  readonly state: SessionState | undefined;
  readonly log: { page(after: number, limit: number): DurableEnvelope[] };
  readonly trace: {
    span<Value>(
      name: string,
      work: () => Promise<Value>,
      codeOf: (thrown: unknown) => string,
    ): Promise<Value>;
    record(span: Omit<TraceSpan, 'spanId' | 'durationMs'>): void;
  };
  record(events: readonly SessionEvent[]): void;
  observe(command: SessionCommand): unknown;
}

/** Where the work of one attempt happens. Found anew for every attempt: the sandbox may be another one. */
export interface Workplace {
  state: () => SessionState;
  settings: Settings;
  port: SandboxPort;
  sandboxId: string;
  forge: Forge;
}
