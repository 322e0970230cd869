/** What the session's object is given from outside: other objects and services, each as little as it needs. */
import type { SessionId, SessionReport, Settings } from '@ship/protocol';
import type { ArtifactStore } from '../artifacts/index.ts';
import type { DayBudget } from '../models/budget/port.ts';
import type { Credential } from '../platform/credential.ts';
import type { WarmPoolPort } from '../warm-pool/deps.ts';
import type { RefusalSource } from '../sandbox/refusals.ts';
import type { SandboxServices } from '../sandbox/services.ts';
import type { EditorHost } from './editor/host.ts';
import type { WorkshopParts } from './workshop/parts.ts';

export interface WorkspacePort {
  settings(): Promise<Settings>;
  report(report: SessionReport): Promise<void>;
  remove(sessionId: SessionId): Promise<void>;
  /** The workspace's budget for the day. */
  chargeDay: DayBudget['charge'];
  /** Whether this session may work now: only so many do at once, and whoever was asked first is next. */
  takeSlot(sessionId: SessionId, askedAt: number): Promise<boolean>;
  releaseSlot(sessionId: SessionId): Promise<void>;
  /** Those of the given credentials that no longer hold. */
  endedCredentials(credentials: Credential[]): Promise<Credential[]>;
}

export interface SessionParts {
  workspace: WorkspacePort;
  sandboxes: SandboxServices;
  /** What sandboxes are refused, while they are at work. */
  refusals: RefusalSource;
  reserve: WarmPoolPort;
  artifacts: ArtifactStore;
  /** Undefined: no machine of ours is under the sandboxes. */
  editorHost: EditorHost | undefined;
  /** Undefined: there is no agent here, and prompts wait. */
  workshop: WorkshopParts | undefined;
}
