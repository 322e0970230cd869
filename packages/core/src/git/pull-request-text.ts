import type { Round, SetupProof, SkippedFile, TurnId } from '@ship/protocol';
import { cut } from './commit-subject.ts';
import { type EvidenceFacts, evidenceText } from './evidence-text.ts';
import { inline, neutral } from './markdown.ts';
import { roundsText, shortSha } from './rounds-text.ts';
import { setupProofText } from './setup-proof-text.ts';
import { describeChange } from './change-description.ts';

/** The content of a pull request; unknown parts are left out, never guessed. */
export interface PullRequestFacts extends EvidenceFacts {
  /** The session's title. */
  title: string;
  /** True when the title is only the start of the prompt: then the first commit describes the change better. */
  isTitledByPrompt?: boolean;
  /** All rounds of the work, oldest first: the request, its author, and what the agent did. */
  rounds: readonly Round[];
  roundsLeftOut?: number;
  commits: readonly { sha: string; message: string; turnId: TurnId | null }[];
  model: string | null;
  /** Files that the agent created or changed, and that are not in the branch. */
  skipped?: readonly SkippedFile[];
  /** For the newest commit that changed the repository's setup. */
  setupProof?: SetupProof | undefined;
}

const START = '<!-- ship:start -->';
const END = '<!-- ship:end -->';
const SECTION = new RegExp(`${START}[^]*?${END}`);
/** GitHub refuses more than 65,536 characters; a person's own text needs space too. */
const MAX_SECTION = 40_000;
const MAX_TITLE = 200;
const MAX_SUMMARY = 8_000;
const MAX_REQUESTS = 12;

export function pullRequestTitle(facts: PullRequestFacts): string {
  const { title, commits, isTitledByPrompt = false } = facts;
  const [first = ''] = commits[0]?.message.split('\n') ?? [];
  const own = title.trim();
  // A squash merge uses the title as the commit's subject, so it follows the same rules.
  if (isTitledByPrompt && first !== '') return cut(first, MAX_TITLE);
  return cut(own || first || 'Changes by the agent', MAX_TITLE);
}

/** The generated part, markers included. */
export function pullRequestSection(facts: PullRequestFacts): string {
  const { costUsd, model, sessionUrl } = facts;
  const about = [
    ...(model === null ? [] : [`model \`${inline(model)}\``]),
    ...(costUsd === null ? [] : [`cost $${costUsd.toFixed(2)}`]),
    ...(sessionUrl === null ? [] : [`[session](${encodeURI(sessionUrl)})`]),
  ];
  const parts = [
    `### What\n${whatText(facts)}`,
    whyText(facts),
    `### How it was verified\n${evidenceText(facts)}`,
    facts.setupProof === undefined ? '' : setupProofText(facts.setupProof),
    leftOut(facts.skipped ?? []),
    roundsText(facts),
    about.length === 0 ? '' : `---\nMade by Ship · ${about.join(' · ')}`,
  ];
  const text = parts.filter((part) => part !== '').join('\n\n');
  return `${START}\n${cut(text, MAX_SECTION)}\n${END}`;
}

/**
 * Describes all of the work: the newest description of the whole, else the first round's message with what later rounds added.
 * Rounds that Ship asked for (repairs, merges) do not describe the change.
 */
function whatText({ rounds, commits }: PullRequestFacts): string {
  const at = rounds.findLastIndex(({ whole }) => whole !== null);
  const whole = rounds[at]?.whole ?? null;
  const own = rounds.filter(({ kind, said }) => kind === 'person' && said !== '');
  if (whole !== null) {
    const later = rounds.slice(at + 1).filter(({ kind }) => kind === 'person');
    return [neutral(whole), bulleted(later)].filter((part) => part !== '').join('\n\n');
  }
  const [first, ...later] = own;
  if (first === undefined) return subjects(commits);
  const shown = cut(neutral(first.said), MAX_SUMMARY);
  return [shown, bulleted(later)].filter((part) => part !== '').join('\n\n');
}

function bulleted(rounds: readonly Round[]): string {
  const lines = rounds.flatMap(({ said, change }) => {
    const words = describeChange(change === null ? said : `Change: ${change}`);
    return words === null ? [] : [`- ${neutral(words.charAt(0).toUpperCase() + words.slice(1))}`];
  });
  return lines.length === 0 ? '' : `Later requests added:\n${lines.join('\n')}`;
}

function subjects(commits: PullRequestFacts['commits']): string {
  if (commits.length === 0) return 'No commit yet.';
  return commits
    .slice(-20)
    .map(({ sha, message }) => `- ${shortSha(sha)} ${neutral(message.split('\n')[0] ?? '')}`)
    .join('\n');
}

/** People's requests in order, without Ship's own: those are not a reason for the pull request. */
function whyText({ rounds, roundsLeftOut = 0 }: PullRequestFacts): string {
  const requests = rounds.filter(({ kind }) => kind === 'person').map((round) => round.asked);
  if (requests.length === 0) return '';
  const [only = ''] = requests;
  if (requests.length === 1) return `### Why\n${quote(only, 2_000)}`;
  const isCut = requests.length > MAX_REQUESTS || roundsLeftOut > 0;
  const shown = isCut ? [only, ...requests.slice(1).slice(-(MAX_REQUESTS - 1))] : requests;
  const list = shown.map((text, index) => `${index + 1}. ${quoteInList(text)}`);
  if (isCut) list.splice(1, 0, '   …');
  return `### Why\nRequests, in order:\n\n${list.join('\n')}`;
}

/**
 * The new body. Text outside the markers stays. Without markers the body stays unchanged, because a person removed them;
 * `adopt` adds the section to a pull request that existed before Ship's first update.
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

/** The new body when a person edits theirs: the generated part, if it still exists, stays after it. */
export function editedBody(existing: string | null, text: string): string {
  // The next turn would take markers in the person's text for the generated part.
  const own = withoutMarkers(text).trim();
  const [section = ''] = (existing ?? '').match(SECTION) ?? [];
  return [own, section].filter((part) => part !== '').join('\n\n');
}

/** Why a file is not in the branch, for people. */
export const SKIP_REASONS: Readonly<Record<SkippedFile['reason'], string>> = {
  'too-large': 'larger than the forge accepts',
  'nested-repository': 'a nested git repository',
  'lfs-content': 'belongs in Git LFS, which the sandbox does not have',
  'by-product': 'a side effect of a tool',
};

function leftOut(skipped: readonly SkippedFile[]): string {
  if (skipped.length === 0) return '';
  const lines = skipped
    .slice(0, 20)
    .map(({ path, reason }) => `- \`${inline(path)}\`: ${SKIP_REASONS[reason]}`);
  const more = skipped.length > 20 ? [`- and ${skipped.length - 20} more`] : [];
  return ['### Left out of the branch', ...lines, ...more].join('\n');
}

/** The body for renderers that show HTML tags and comments as text. */
export function displayBody(body: string): string {
  return withoutMarkers(body)
    .replaceAll(/<details><summary>([^<\n]*)<\/summary>/g, '**$1**')
    .replaceAll('</details>', '');
}

function withoutMarkers(text: string): string {
  return text.replaceAll(START, '').replaceAll(END, '');
}

function quote(text: string, max: number): string {
  return cut(neutral(text), max)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** One paragraph: list or block marks in the text would break the surrounding list. */
function quoteInList(text: string): string {
  const lines = neutral(text)
    .split('\n')
    .map((line) => line.trim());
  return cut(lines.filter((line) => line !== '').join(' '), 500);
}
