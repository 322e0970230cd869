/** What the reserve is given from outside. */
import type { ModelRef, RequestId, DraftId, SessionId, Settings } from '@ship/protocol';
import type { SandboxServices } from '../sandbox/services.ts';
import type { AgentParts } from '../session/workshop/parts.ts';

export interface ReserveParts {
  settings: () => Promise<Settings>;
  /** What a session without a wish of its own gets; null when no model can be had. */
  defaultModel: (settings: Settings) => Promise<ModelRef | null>;
  sandboxes: SandboxServices;
  /** Undefined: there is no agent here, and nothing to be kept ready. */
  agent: AgentParts | undefined;
  /** Whether any agent is at work. */
  isBusy: () => Promise<boolean>;
  hasSession: (sessionId: SessionId) => Promise<boolean>;
}

export interface Claim {
  requestId: RequestId;
  draftId: DraftId | null;
}

/** The reserve as a session needs it. */
export interface ReservePort {
  /** Returns when nobody else touches the sandbox of this session any more. */
  settle(sessionId: SessionId): Promise<void>;
}
