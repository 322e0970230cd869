/** Dependencies of the work on a turn from outside the session. */
import type { AgentGrant, InstallOverride } from '@ship/core';
import type {
  DurableEnvelope,
  ModelRef,
  SessionCommand,
  SessionEvent,
  SessionId,
  SessionState,
  Settings,
  TokenCounts,
  TraceSpan,
} from '@ship/protocol';
import type { AgentLauncher, AgentProvider } from '../../agent/port.ts';
import type { AddedRepositories, Forge } from '../../git/index.ts';
import type { ModelClaims } from '../../models/gateway/capability.ts';
import type { Mask } from '../../platform/mask.ts';
import type { SandboxPort } from '../../sandbox/port.ts';
import type { SetupStore } from '../../setups/port.ts';

/** How the agent reaches the models of a session. */
export interface ModelAccess {
  providers: readonly AgentProvider[];
  smallModel: ModelRef;
  /** Without a known price no cost is recorded. */
  isPriced: boolean;
}

export interface RepositoryFacts extends InstallOverride {
  setupCommand: string | null;
  verifyCommand: string | null;
  maxStepsPerTurn?: number | null;
}

/** Dependencies of starting a session's agent. */
export interface AgentParts {
  /** Signs the capabilities that a sandbox gets instead of keys. */
  gatewaySecret: string;
  launcher: (port: SandboxPort) => AgentLauncher;
  models: (model: ModelRef) => Promise<ModelAccess>;
  /** The agent's instructions and tools from the settings; null when its repository is not known yet. */
  grant: (repository: string | null) => Promise<AgentGrant>;
  /** Valid for that session in that sandbox. */
  modelsCapability: (claims: ModelClaims, expiresAt: number) => Promise<string>;
}

/** A model's answer to a question of Ship itself, and its usage. */
export interface Answer {
  text: string;
  tokens: TokenCounts;
  /** Null when the model's price is not known. */
  costUsd: number | null;
}

export interface WorkshopParts extends AgentParts {
  /** The model that finds a title; null where none is known to be small. */
  namingModel: (model: ModelRef) => ModelRef | null;
  ask: (
    sessionId: SessionId,
    model: ModelRef,
    question: { system: string; text: string },
    signal: AbortSignal,
  ) => Promise<Answer>;
  /** The gateways' addresses inside a sandbox. */
  gateways: { models: string; git: string };
  /** The session's page in the web app. */
  sessionUrl: (sessionId: SessionId) => string | null;
  /** `movedTo`: the forge's newest name for the repository, when it differs from the location. */
  forge: (location: string, movedTo: string | null) => Promise<Forge>;
  repository: (location: string) => Promise<RepositoryFacts>;
  /** The repositories that were added to Ship: a session may read those that its own repository has as submodules. */
  added: AddedRepositories;
  /** The secrets of this repository, for its scripts and its agent. */
  secrets: (location: string) => Promise<Record<string, string>>;
  /** The saved results of setups. */
  setups: SetupStore;
}

/** The part of the session's store that judging its work needs. */
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

/** A session's sandbox, ready for use. Looked up for every attempt: it may be another one. */
export interface Bench {
  state: () => SessionState;
  settings: Settings;
  port: SandboxPort;
  sandboxId: string;
}

/** The repository's secrets: variables for what it and its agent run, and for nothing of Ship itself. */
interface SecretsContext {
  secrets: Record<string, string>;
  /** Masks all output of programs that have them. */
  mask: Mask;
  /** A script that sets what the team's files describe; absent where they describe nothing. Refers to secrets by variable. */
  environment?: string;
}

/** A sandbox in which the repository's own programs run. */
export type TurnBench = Bench & SecretsContext;

/** The repository was set up here. Only the duration is passed on: the agent can write to this sandbox. */
export interface SetUp {
  durationMs: number;
}

/** Where commands of the repository run. */
export type CommandPlace = Pick<
  TurnBench,
  'port' | 'sandboxId' | 'secrets' | 'mask' | 'environment'
>;

/** Where the work of one attempt happens. */
export interface Workplace extends Bench {
  /** Connects on first use: a prompt for an agent that has its repository does not wait for it. */
  forge: () => Promise<Forge>;
}

export type TurnPlace = Workplace & SecretsContext;
