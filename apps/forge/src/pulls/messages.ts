import type { Commit } from '../git/commits.ts';

export interface PullText {
  number: number;
  title: string;
  owner: string;
  headRef: string;
}

export interface MessageWish {
  title?: string | undefined;
  message?: string | undefined;
}

export function mergeMessage(pull: PullText, wish: MessageWish): string {
  const title =
    wish.title ?? `Merge pull request #${pull.number} from ${pull.owner}/${pull.headRef}`;
  return join(title, wish.message ?? pull.title);
}

/** GitHub's default: a lone commit keeps its words, several are listed; everybody who wrote one is named. */
export function squashMessage(
  pull: PullText,
  commits: readonly Commit[],
  wish: MessageWish,
): string {
  const lone = commits.length === 1 ? commits[0] : undefined;
  const title = wish.title ?? `${subject(lone) ?? pull.title} (#${pull.number})`;
  if (wish.message !== undefined) return join(title, wish.message);
  const body =
    lone === undefined ? commits.map((one) => `* ${one.message}`).join('\n\n') : rest(lone);
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
