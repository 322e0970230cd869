import { classify } from '@ship/core';
import { type ShipError, type TurnOutcome, shipError } from '@ship/protocol';
import type { AgentSignal, AgentSnapshot, AnswerSignal } from '../../agent/port.ts';
import type { TurnEnd } from './ports.ts';

/** What the agent's own record says of an attempt, once it is idle. */
export type Verdict =
  /** Our prompt has no answer yet: it was accepted a moment ago, or never. */
  | { kind: 'unanswered' }
  /** The last answer is not written down yet. */
  | { kind: 'unsettled' }
  | { kind: 'completed'; messageId: string; text: string }
  | { kind: 'over'; end: TurnEnd };

/** Judges the newest answer to our message. An error on the way is not the end: the agent may have recovered from it. */
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
    // It wanted to go on. Only a person's no makes it end here by itself.
    return hasRefused ? { kind: 'completed', messageId, text } : over(interrupted());
  }
  if (finish !== 'stop' && wasCut(since, sessionId, text)) return over(interrupted());
  const hasWorked = since.some(({ kind }) => kind === 'tool');
  if (text.trim() === '' && !hasWorked) {
    return over(
      shipError('empty-answer', 'The model gave an empty answer.', 'It is tried again by itself.'),
    );
  }
  return { kind: 'completed', messageId, text };
}

/**
 * When our gateway dies in mid-answer the agent takes what it has for a whole answer with an end that it does not know
 * ("other"). A whole one says something, and what it used.
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
  remedy: 'Tell the agent to go on, or to take smaller steps.',
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
    'Nothing needs to be done: it is told to go on.',
  );
}
