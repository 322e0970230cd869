/** The session object's dependencies: other objects and services, each as narrow as possible. */
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
  /** Charges the workspace's budget for the day. */
  chargeDay: DayBudget['charge'];
  /** Whether this session may work now: the number of working sessions is limited, in the order of their prompts. */
  takeSlot(sessionId: SessionId, askedAt: number): Promise<boolean>;
  releaseSlot(sessionId: SessionId): Promise<void>;
  /** Those of the given credentials that are no longer valid. */
  endedCredentials(credentials: Credential[]): Promise<Credential[]>;
}

export interface SessionParts {
  workspace: WorkspacePort;
  sandboxes: SandboxServices;
  /** Egress refusals of working sandboxes. */
  refusals: RefusalSource;
  reserve: WarmPoolPort;
  artifacts: ArtifactStore;
  /** Undefined: the sandboxes do not run on a machine of this installation. */
  editorHost: EditorHost | undefined;
  /** Undefined: no agent is configured, and prompts wait. */
  workshop: WorkshopParts | undefined;
}
