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
  /** For a new conversation of the agent. */
  title: string;
  text: string;
  attachments: readonly Attachment[];
  model: ModelRef;
  mode: AgentMode;
  /** Without a known price no cost is recorded. */
  isPriced: boolean;
}

/** A turn's dependencies. It knows nothing of storage, sockets or git. */
export interface TurnDeps {
  agent: Agent;
  /** Stores and folds; afterwards `state` has the events. Rejects when the session cannot store any more: the turn then ends. */
  record: (events: SessionEvent[]) => Promise<void>;
  live: (event: LiveEvent) => void;
  /** The current state, including answers of people. */
  state: () => AgentState;
  /** The turn's events in the log. */
  eventsOfTurn: (turnId: TurnId) => Iterable<DurableEvent>;
  artifacts: ArtifactSink;
  /** Saves the work. Called after each step of the agent, never concurrently. */
  afterStep: () => Promise<void>;
  now: () => number;
  /** Aborted by Stop; the reason is who pressed it. */
  stop: AbortSignal;
  limits: AgentLimits;
  /** Only tests override the defaults. */
  recordingLimits?: RecordingLimits;
}

/** After `fail` the session retries or gives up, by the error's category. */
export type TurnEnd = { kind: 'finish'; outcome: TurnOutcome } | { kind: 'fail'; error: ShipError };
