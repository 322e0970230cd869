import type { ModelRef, RequestId, DraftId, SessionId, Settings } from '@ship/protocol';
import type { SandboxServices } from '../sandbox/services.ts';
import type { AgentParts } from '../session/workshop/parts.ts';

export interface WarmPoolDeps {
  settings: () => Promise<Settings>;
  /** The model of a session that names none; null when no model is available. */
  defaultModel: (settings: Settings) => Promise<ModelRef | null>;
  sandboxes: SandboxServices;
  /** Undefined when no agent is configured: the pool then stays empty. */
  agent: AgentParts | undefined;
  /** Whether any agent is working. */
  isBusy: () => Promise<boolean>;
  hasSession: (sessionId: SessionId) => Promise<boolean>;
}

export interface Claim {
  requestId: RequestId;
  draftId: DraftId | null;
}

/** The warm pool as a session sees it. */
export interface WarmPoolPort {
  /** Resolves when the pool no longer touches the sandbox of this session. */
  settle(sessionId: SessionId): Promise<void>;
}
