/** What work on a turn needs from outside the session. */
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

/** What it takes to start the agent of a session. */
export interface AgentParts {
  /** Signs what a sandbox is given instead of keys. */
  gatewaySecret: string;
  launcher: (port: SandboxPort) => AgentLauncher;
  models: (model: ModelRef) => Promise<ModelAccess>;
  /** What the settings give it; null when it is not yet known which repository it will work on. */
  grant: (repository: string | null) => Promise<AgentGrant>;
  /** Good for that session, in that sandbox. */
  modelsCapability: (claims: ModelClaims, expiresAt: number) => Promise<string>;
}

/** What a model said to a question of ours, and what that used. */
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
  /** Addresses under which a sandbox reaches the gateways. */
  doors: { models: string; git: string };
  /** Where people find the session. */
  sessionUrl: (sessionId: SessionId) => string | null;
  /** `movedTo`: what the forge last called it, when that is not what the location says. */
  forge: (location: string, movedTo: string | null) => Promise<Forge>;
  repository: (location: string) => Promise<RepositoryFacts>;
  /** Those that people added to Ship: a session may read them where its own repository has them as submodules. */
  added: AddedRepositories;
  /** What people gave this repository for its scripts and its agent. */
  secrets: (location: string) => Promise<Record<string, string>>;
  /** What is kept of repositories that were set up. */
  setups: SetupStore;
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

/** A session's sandbox, ready for use. Found anew for every attempt: it may be another one. */
export interface Bench {
  state: () => SessionState;
  settings: Settings;
  port: SandboxPort;
  sandboxId: string;
}

/** What people gave the repository: variables for what it and its agent run, and for nothing of our own. */
interface Confided {
  secrets: Record<string, string>;
  /** Over all that comes out of what has them. */
  mask: Mask;
  /** A script that sets what the team's files describe; absent where they describe nothing. It names secrets, by variable. */
  environment?: string;
}

/** A sandbox in which the repository's own programs are run. */
export type TurnBench = Bench & Confided;

/** The repository was set up here. No more than the time is passed on: the agent can write to this sandbox. */
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
  /** Connected to when it is first needed: who prompts an agent that has its repository does not wait for it. */
  forge: () => Promise<Forge>;
}

export type TurnPlace = Workplace & Confided;
