import {
  mergeBody,
  type PullRequestFacts,
  pullRequestSection,
  pullRequestTitle,
  sessionEvent,
  editedBody,
} from '@ship/core';
import { type MergeMethod, type PullRequest, type SessionEvent, ShipFailure } from '@ship/protocol';
import { type GitDeps, movedEvents } from './deps.ts';
import type { Forge } from './forge/port.ts';

type Deps = Pick<GitDeps, 'forge' | 'git'>;

/**
 * The branch's draft pull request: opened once, found again, and its generated section kept up to date. One that a person
 * closed stays closed; after a merge, new work gets a new one.
 */
export async function syncPullRequest(
  deps: Deps & { lookup?: Promise<PullRequest | null> | undefined },
  facts: PullRequestFacts,
): Promise<SessionEvent[]> {
  const { forge, git } = deps;
  const { branch, base } = git;
  if (branch === null || base === null) return [];
  const section = pullRequestSection(facts);
  const known = git.pullRequest;
  const found = await currentPullRequest(deps, branch);
  if (found === null || found.state === 'merged') {
    const title = pullRequestTitle(facts);
    const opened = await forge.openPullRequest({ branch, base, title, body: section });
    return [openedEvent(opened)];
  }
  const changes = known?.number === found.number ? stateEvents(known, found) : [openedEvent(found)];
  if (found.state === 'closed') return changes;
  const adopt = known?.number !== found.number;
  const body = mergeBody(found.body, section, adopt);
  const wanted = pullRequestTitle(facts);
  // A title other than the last one that Ship wrote is a person's.
  const title = known !== null && !adopt && found.title === known.title ? wanted : found.title;
  if (body === found.body && title === found.title) return changes;
  const edited = await forge.editPullRequest(found.number, { title, body });
  return [
    ...changes,
    sessionEvent('pull-request.updated', { number: edited.number, title: edited.title }),
  ];
}

/** The branch's open pull request, else its newest, in its current state: a person may have edited it a moment ago. */
async function currentPullRequest(
  { forge, git, lookup }: Parameters<typeof syncPullRequest>[0],
  branch: string,
): Promise<PullRequest | null> {
  if (git.pullRequest?.state === 'open') {
    const known = await forge.pullRequest(git.pullRequest.number).catch((error: unknown) => {
      if (error instanceof ShipFailure && error.error.code === 'not-found') return null;
      throw error;
    });
    if (known?.state === 'open') return known;
  }
  const newest = await (lookup ?? forge.findPullRequest(branch));
  return newest?.state === 'open' ? forge.pullRequest(newest.number) : newest;
}

/** Updates the generated section of an open pull request; a closed or deleted one is left alone. */
export async function refreshPullRequest(
  deps: Deps,
  facts: PullRequestFacts,
): Promise<SessionEvent[]> {
  return deps.git.pullRequest?.state === 'open' ? syncPullRequest(deps, facts) : [];
}

export async function markReady({ forge, git }: Deps): Promise<SessionEvent[]> {
  return change(git, (number) => forge.markReady(number));
}

export async function mergePullRequest(
  { forge, git }: Deps,
  method: MergeMethod,
  headSha: string,
): Promise<SessionEvent[]> {
  return change(git, (number) => forge.merge(number, method, headSha));
}

/**
 * Applies a person's edit. Its title is not recorded: a title other than the last one that Ship wrote counts as a person's, and
 * stays.
 */
export async function editPullRequest(
  { forge, git }: Deps,
  { title, body }: { title?: string | undefined; body?: string | undefined },
): Promise<SessionEvent[]> {
  return change(git, async (number) => {
    const found = await forge.pullRequest(number);
    return forge.editPullRequest(number, {
      ...(title === undefined ? {} : { title }),
      ...(body === undefined ? {} : { body: editedBody(found.body, body) }),
    });
  });
}

export async function closePullRequest({ forge, git }: Deps): Promise<SessionEvent[]> {
  return change(git, (number) => forge.close(number));
}

async function change(
  git: GitDeps['git'],
  act: (number: number) => ReturnType<Forge['markReady']>,
): Promise<SessionEvent[]> {
  if (git.pullRequest === null) return [];
  return stateEvents(git.pullRequest, await act(git.pullRequest.number));
}

/** Records changes made at the forge: polled from time to time where no webhook can reach Ship. */
export async function observeForge({ forge, git }: Deps): Promise<SessionEvent[]> {
  if (git.branch === null) return [];
  const events: SessionEvent[] = [];
  if (git.pullRequest !== null)
    events.push(...stateEvents(git.pullRequest, await forge.pullRequest(git.pullRequest.number)));
  if (git.pushedSha !== null) {
    const sha = await forge.refSha(`heads/${git.branch}`);
    const lastSha = git.outside === null ? git.pushedSha : git.outside.sha;
    if (sha !== lastSha)
      events.push(sessionEvent('branch.moved-outside', { branch: git.branch, sha }));
  }
  return [...movedEvents({ forge, git }), ...events];
}

function openedEvent({ number, url, title, draft, state }: PullRequest): SessionEvent {
  return sessionEvent('pull-request.opened', {
    number,
    url,
    title: title.slice(0, 300),
    draft,
    state,
  });
}

function stateEvents(
  known: NonNullable<GitDeps['git']['pullRequest']>,
  { number, state, draft }: PullRequest,
): SessionEvent[] {
  if (known.state === state && known.draft === draft) return [];
  return [sessionEvent('pull-request.state-changed', { number, state, draft })];
}
