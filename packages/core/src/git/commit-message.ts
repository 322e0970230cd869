import type { SessionId, TurnId } from '@ship/protocol';
import { closingLines } from '../verify/closing-lines.ts';
import { clean } from './change-description.ts';
import { type SubjectFacts, commitSubject } from './commit-subject.ts';

export interface Person {
  name: string;
  email: string;
}

export interface CommitFacts extends SubjectFacts {
  sessionId: SessionId;
  turnId: TurnId | null;
  agent: Person;
}

const MAX_BODY_LINE = 72;
const MAX_BODY = 2_000;

/** The subject in the repository's style, then the agent's summary, then trailers for session, turn and author. */
export function commitMessage(facts: CommitFacts): string {
  const body = closingLines(clean(facts.summary ?? '')).rest;
  const trailers = [
    `Ship-Session: ${facts.sessionId}`,
    ...(facts.turnId === null ? [] : [`Ship-Turn: ${facts.turnId}`]),
    `Co-authored-by: ${trailerText(facts.agent.name)} <${trailerText(facts.agent.email)}>`,
  ];
  return [commitSubject(facts), wrap(body.slice(0, MAX_BODY)), trailers.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Removes line breaks and angle brackets: a name with them could attribute the commit to another person. */
function trailerText(text: string): string {
  return clean(text)
    .replaceAll(/[<>\n]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function wrap(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line.trimEnd()))
    .join('\n');
}

function wrapLine(line: string): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > MAX_BODY_LINE) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  // git would read a line of the body that looks like a trailer as one.
  return [...lines, current].map((one) => one.replace(/^([A-Za-z-]+-by|Ship-\w+):/i, '$1 -'));
}
