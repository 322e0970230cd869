import type { Commit } from '../git/commits.ts';

export interface PullText {
  number: number;
  title: string;
  owner: string;
  headRef: string;
}

export interface MessageInput {
  title?: string | undefined;
  message?: string | undefined;
}

export function mergeMessage(pull: PullText, input: MessageInput): string {
  const title =
    input.title ?? `Merge pull request #${pull.number} from ${pull.owner}/${pull.headRef}`;
  return join(title, input.message ?? pull.title);
}

/** GitHub's default: a single commit keeps its message, several are listed; all authors are credited. */
export function squashMessage(
  pull: PullText,
  commits: readonly Commit[],
  input: MessageInput,
): string {
  const only = commits.length === 1 ? commits[0] : undefined;
  const title = input.title ?? `${subject(only) ?? pull.title} (#${pull.number})`;
  if (input.message !== undefined) return join(title, input.message);
  const body =
    only === undefined ? commits.map((one) => `* ${one.message}`).join('\n\n') : rest(only);
  const trailers = coAuthors(commits).filter((trailer) => !body.includes(trailer));
  return [join(title, body), ...(trailers.length === 0 ? [] : [trailers.join('\n')])].join('\n\n');
}

function coAuthors(commits: readonly Commit[]): string[] {
  const first = commits[0]?.author.email.toLowerCase();
  const others = new Map<string, string>();
  for (const { author } of commits) {
    const key = author.email.toLowerCase();
    if (key !== first) others.set(key, `Co-authored-by: ${author.name} <${author.email}>`);
  }
  return [...others.values()];
}

function subject(commit: Commit | undefined): string | undefined {
  return commit?.message.split('\n', 1)[0];
}

function rest(commit: Commit): string {
  return commit.message.split('\n').slice(1).join('\n').trim();
}

function join(title: string, body: string): string {
  return body.trim() === '' ? title : `${title}\n\n${body.trim()}`;
}
