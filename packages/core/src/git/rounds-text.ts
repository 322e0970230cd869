import type { Round } from '@ship/protocol';
import { isSetupRepair } from '../environment/setup-agent.ts';
import { describeChange } from './change-description.ts';
import { cut } from './commit-subject.ts';
import { neutral } from './markdown.ts';
import type { PullRequestFacts } from './pull-request-text.ts';

const MAX_COMMITS = 20;

export const shortSha = (sha: string): string => sha.slice(0, 9);

/** Each round with its commits; for a single round only its commits. */
export function roundsText({ rounds, commits, roundsLeftOut = 0 }: PullRequestFacts): string {
  if (rounds.length < 2)
    return commits.length === 0 ? '' : `### Commits\n${commitLines(commits, '').join('\n')}`;
  const known = new Set(rounds.map(({ turnId }) => turnId));
  let requests = 0;
  const lines = rounds.flatMap((round, index) => {
    if (round.kind === 'person') requests += 1;
    // When rounds are left out, the request numbers would not match the list of requests.
    const request = roundsLeftOut > 0 ? null : requests;
    const own = commits.filter(({ turnId }) => turnId === round.turnId);
    return [
      `${index + 1 + roundsLeftOut * Number(index > 0)}. ${roundLine(round, request)}`,
    ].concat(commitLines(own, '   '));
  });
  if (roundsLeftOut > 0) lines.splice(1, 0, '   …');
  // Merges of the base and people's pushes belong to no round.
  const others = commits.filter(({ turnId }) => turnId === null || !known.has(turnId));
  const rest = others.length === 0 ? [] : ['', 'Other commits:', ...commitLines(others, '')];
  return `### Rounds\n${[...lines, ...rest].join('\n')}`;
}

function askedFor({ kind, asked }: Round, request: number | null): string {
  if (kind === 'repair')
    return `**Repair** after ${isSetupRepair(asked) ? 'a failed setup' : 'failing tests'}`;
  if (kind === 'conflict') return '**Merge conflict** with newer commits';
  return request === null ? `“${oneLine(asked, 100)}”` : `**Request ${request}**`;
}

function roundLine(round: Round, request: number | null): string {
  const { said, change } = round;
  const words = describeChange(change === null ? said : `Change: ${change}`);
  const did = words === null ? 'no summary' : oneLine(words, 160);
  return `${askedFor(round, request)} → ${did}`;
}

function commitLines(commits: PullRequestFacts['commits'], indent: string): string[] {
  return commits
    .slice(-MAX_COMMITS)
    .map(
      ({ sha, message }) =>
        `${indent}- ${shortSha(sha)} ${neutral(message.split('\n')[0] ?? '').slice(0, 300)}`,
    );
}

function oneLine(text: string, max: number): string {
  return cut(neutral(text).replaceAll(/\s+/g, ' '), max);
}
