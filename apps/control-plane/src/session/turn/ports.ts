import type { AgentLimits, RecordingLimits } from '@ship/core';
import type {
  AgentMode,
  AgentState,
  DurableEvent,
  LiveEvent,
  ModelRef,
  PromptId,
  SessionEvent,
  ShipError,
  TurnId,
  TurnOutcome,
} from '@ship/protocol';
import type { Agent, Attachment } from '../../agent/port.ts';
import type { ArtifactSink } from '../ingest/draft.ts';

export interface TurnRequest {
  turnId: TurnId;
  promptId: PromptId;
  attempt: number;
  /** Of the agent's conversation, when it has none yet. */
  title: string;
  text: string;
  attachments: readonly Attachment[];
  model: ModelRef;
  mode: AgentMode;
  /** Without a known price no cost is recorded. */
  isPriced: boolean;
}

/** What a turn needs of its session. It knows nothing of storage, sockets or git. */
export interface TurnDeps {
  agent: Agent;
  /** Stores and folds; when it returns, `state` has it. Rejects when the session can no longer store: the turn then just ends. */
  record: (events: SessionEvent[]) => Promise<void>;
  live: (event: LiveEvent) => void;
  /** As it is now, with what people have said meanwhile. */
  state: () => AgentState;
  /** What the log has of this turn. */
  eventsOfTurn: (turnId: TurnId) => Iterable<DurableEvent>;
  artifacts: ArtifactSink;
  /** Called after each step of the agent, never twice at the same time. Saves the work. */
  afterStep: () => Promise<void>;
  now: () => number;
  /** Aborted when somebody presses Stop; the reason is who. */
  stop: AbortSignal;
  limits: AgentLimits;
  /** Only tests have others than the usual ones. */
  recordingLimits?: RecordingLimits;
}

/** `fail` is for the session to retry or to give up on, by the error's category. */
export type TurnEnd = { kind: 'finish'; outcome: TurnOutcome } | { kind: 'fail'; error: ShipError };
