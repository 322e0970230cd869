import type { ModelRef, Prompt, PromptId, SessionId, ShipError, TurnId } from '@ship/protocol';
import type { Sandbox } from '../sandbox/state.ts';

/** One prompt being worked on. `attempt` counts from 1 and grows when a transient failure is retried. */
export interface Turn {
  turnId: TurnId;
  promptId: PromptId;
  startedAt: number;
  attempt: number;
}

/** What the agent is doing now. Each state has exactly the facts that are true in it, so none can be stale. */
export type Activity =
  | { status: 'idle' }
  | { status: 'working'; turn: Turn }
  | { status: 'retrying'; turn: Turn; error: ShipError; nextAttemptAt: number }
  | { status: 'stopping'; turn: Turn; by: string }
  | { status: 'failed'; turn: Turn; error: ShipError }
  | { status: 'closed'; by: string };

export interface SessionState {
  sessionId: SessionId;
  title: string;
  repository: string;
  model: ModelRef;
  createdAt: number;
  /** Waiting prompts, first in first out. The prompt of the running turn is no longer in it. */
  queue: readonly Prompt[];
  /** The prompt of the newest turn, kept so that a failed one can be retried. */
  current: Prompt | undefined;
  activity: Activity;
  sandbox: Sandbox;
  /** When there was last work or a word from a person; viewers are counted by the object. */
  lastActiveAt: number;
  /** Finished turns, however they ended. */
  turnsFinished: number;
  /** Seq of the newest event folded in; the next one must be `seq + 1`. */
  seq: number;
}

export const MAX_QUEUED_PROMPTS = 100;

/** The turn that has not ended yet, if there is one. */
export function openTurn(activity: Activity): Turn | undefined {
  switch (activity.status) {
    case 'working':
    case 'retrying':
    case 'stopping':
      return activity.turn;
    case 'idle':
    case 'failed':
    case 'closed':
      return undefined;
  }
}
