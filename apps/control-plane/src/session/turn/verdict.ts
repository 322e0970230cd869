import { classify } from '@ship/core';
import { type ShipError, type TurnOutcome, shipError } from '@ship/protocol';
import type { AgentSignal, AgentSnapshot, AnswerSignal } from '../../agent/port.ts';
import type { TurnEnd } from './ports.ts';

/** The state of an attempt by the agent's own history, once the agent is idle. */
export type Verdict =
  /** The prompt has no answer yet: it was accepted a moment ago, or never. */
  | { kind: 'unanswered' }
  /** The last answer is not stored yet. */
  | { kind: 'unsettled' }
  | { kind: 'completed'; messageId: string; text: string }
  | { kind: 'over'; end: TurnEnd };

/** Judges the newest answer to the prompt. An earlier error does not count: the agent may have recovered from it. */
export function verdictOn(
  { signals }: AgentSnapshot,
  sessionId: string,
  messageId: string,
  hasRefused: boolean,
): Verdict {
  const sent = signals.findIndex(
    (signal) => signal.kind === 'prompt' && signal.messageId === messageId,
  );
  const since = sent === -1 ? [] : signals.slice(sent);
  const answer = since.findLast(
    (signal): signal is AnswerSignal => signal.kind === 'answer' && signal.sessionId === sessionId,
  );
  if (answer === undefined) return { kind: 'unanswered' };
  if (!answer.isDone) return { kind: 'unsettled' };
  if (answer.failure !== null) {
    return answer.failure.kind === 'aborted'
      ? over(interrupted())
      : over(classify(answer.failure.facts));
  }
  return byFinish(answer, textOf(since, answer), hasRefused, since);
}

function byFinish(
  { finish, isSummary, messageId, sessionId }: AnswerSignal,
  text: string,
  hasRefused: boolean,
  since: AgentSignal[],
): Verdict {
  if (finish === null || isSummary) return over(interrupted());
  if (finish === 'length') return { kind: 'over', end: { kind: 'finish', outcome: CUT_OFF } };
  if (finish === 'content-filter') {
    return over(classify({ boundary: 'model', name: 'ContentFilterError' }));
  }
  if (finish === 'tool-calls') {
    // The agent wanted to continue. Only a refusal by a person ends the turn here properly.
    return hasRefused ? { kind: 'completed', messageId, text } : over(interrupted());
  }
  if (finish !== 'stop' && wasCut(since, sessionId, text)) return over(interrupted());
  const hasWorked = since.some(({ kind }) => kind === 'tool');
  if (text.trim() === '' && !hasWorked) {
    return over(
      shipError('empty-answer', 'The model gave an empty answer.', 'Ship retries automatically.'),
    );
  }
  return { kind: 'completed', messageId, text };
}

/**
 * When the model gateway dies mid-answer, the agent takes the partial answer for a whole one with an unknown finish reason
 * ("other"). A whole answer has text and token counts.
 */
function wasCut(since: AgentSignal[], sessionId: string, text: string): boolean {
  const step = since.findLast((signal) => signal.kind === 'step' && signal.sessionId === sessionId);
  const isCounted = step?.kind === 'step' && step.tokens.output + step.tokens.reasoning > 0;
  return text.trim() === '' || !isCounted;
}

const CUT_OFF: TurnOutcome = {
  kind: 'paused',
  reason: 'output-limit',
  message: 'The answer was longer than the model can write at once.',
  remedy: 'Tell the agent to continue, or to take smaller steps.',
  notBefore: null,
};

function textOf(signals: AgentSignal[], { messageId }: AnswerSignal): string {
  return signals
    .flatMap((signal) =>
      signal.kind === 'text' && signal.channel === 'text' && signal.messageId === messageId
        ? [signal.text]
        : [],
    )
    .join('\n\n');
}

function over(error: ShipError): Verdict {
  return { kind: 'over', end: { kind: 'fail', error } };
}

export function interrupted(): ShipError {
  return shipError(
    'unavailable',
    'The agent was interrupted before it was done.',
    'No action needed: Ship tells it to continue.',
  );
}
