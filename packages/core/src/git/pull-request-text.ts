import { cut, firstSentence } from './commit-message.ts';
import { type EvidenceFacts, evidenceText } from './evidence-text.ts';
import { inline, neutral } from './markdown.ts';

/** What a pull request tells its reader; every part that is not known is left out, never guessed. */
export interface PullRequestFacts extends EvidenceFacts {
  /** The session's title. */
  title: string;
  /** What was asked for, oldest first. */
  prompts: readonly string[];
  /** What the agent says it did, newest turn. */
  summary: string | null;
  commits: readonly { sha: string; message: string }[];
  model: string | null;
  sessionUrl: string | null;
}

const START = '<!-- ship:start -->';
const END = '<!-- ship:end -->';
const SECTION = new RegExp(`${START}[^]*?${END}`);
/** GitHub refuses more than 65,536 characters; a person's own words need room too. */
const MAX_SECTION = 30_000;

export function pullRequestTitle({ title, prompts }: PullRequestFacts): string {
  return cut(title.trim() || firstSentence(prompts[0] ?? '') || 'Work of the agent', 200);
}

/** The generated part, markers included. */
export function pullRequestSection(facts: PullRequestFacts): string {
  const { prompts, summary, commits, costUsd, model, sessionUrl } = facts;
  const about = [
    ...(model === null ? [] : [`model \`${inline(model)}\``]),
    ...(costUsd === null ? [] : [`cost $${costUsd.toFixed(2)}`]),
    ...(sessionUrl === null ? [] : [`[session](${encodeURI(sessionUrl)})`]),
  ];
  const parts = [
    `### What\n${summary === null ? listCommits(commits) : cut(neutral(summary), 8_000)}`,
    prompts.length === 0 ? '' : `### Why\n${prompts.slice(-5).map(quote).join('\n\n')}`,
    `### How it was verified\n${evidenceText(facts)}`,
    summary === null || commits.length === 0 ? '' : `### Commits\n${listCommits(commits)}`,
    about.length === 0 ? '' : `---\nMade by Ship · ${about.join(' · ')}`,
  ];
  const text = parts.filter((part) => part !== '').join('\n\n');
  return `${START}\n${cut(text, MAX_SECTION)}\n${END}`;
}

/**
 * The new body. What a person wrote outside the markers stays; a person who removed the markers wants none of it, except
 * at the first time (`adopt`), when the pull request was there before us.
 */
export function mergeBody(existing: string | null, section: string, adopt: boolean): string {
  const body = existing ?? '';
  const start = body.indexOf(START);
  const end = body.indexOf(END, start);
  if (start === -1 || end === -1) {
    if (body.trim() === '') return adopt ? section : body;
    return adopt ? `${body.trimEnd()}\n\n${section}` : body;
  }
  return `${body.slice(0, start)}${section}${body.slice(end + END.length)}`;
}

/** The new body when a person writes theirs: the generated part, if it is still there, stays behind it. */
export function writtenBody(existing: string | null, text: string): string {
  // Marks of ours in it would be taken for the generated part at the next turn.
  const own = text.replaceAll(START, '').replaceAll(END, '').trim();
  const [section = ''] = (existing ?? '').match(SECTION) ?? [];
  return [own, section].filter((part) => part !== '').join('\n\n');
}

function listCommits(commits: PullRequestFacts['commits']): string {
  if (commits.length === 0) return 'No commit yet.';
  return commits
    .slice(-20)
    .map(({ sha, message }) => `- ${sha.slice(0, 9)} ${neutral(message.split('\n')[0] ?? '')}`)
    .join('\n');
}

function quote(text: string): string {
  return cut(neutral(text), 2_000)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
