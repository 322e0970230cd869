import type { SessionSummary } from '@ship/protocol';
import { duration, oneLine } from '../progress/text.ts';

const MAX_TITLE = 70;

/** A numbered list from which a person picks one session. */
export function renderChoices(sessions: readonly SessionSummary[], nowMs: number): string {
  return sessions
    .map(({ sessionId, title, createdAt, pullRequest }, index) => {
      const number = pullRequest === null ? '' : `  #${pullRequest.number}`;
      const age = `${duration(Math.max(0, nowMs - createdAt))} ago`;
      return `  ${index + 1}  ${sessionId}  ${age}${number}  ${oneLine(title, MAX_TITLE)}\n`;
    })
    .join('');
}

/** Undefined for anything but an exact number from the list: a typo must not merge or delete anything. */
export function choiceOf(
  answer: string,
  sessions: readonly SessionSummary[],
): SessionSummary | undefined {
  return /^[1-9]\d*$/.test(answer.trim()) ? sessions[Number(answer.trim()) - 1] : undefined;
}
