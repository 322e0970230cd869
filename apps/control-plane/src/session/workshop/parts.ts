/** What work on a turn needs from outside the session. */
import type { ModelRef, SessionId, SessionState, Settings } from '@ship/protocol';
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

/** Where the work of one attempt happens. Found anew for every attempt: the sandbox may be another one. */
export interface Workplace {
  state: () => SessionState;
  settings: Settings;
  port: SandboxPort;
  sandboxId: string;
  forge: Forge;
}
