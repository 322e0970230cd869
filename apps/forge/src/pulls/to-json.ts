import type { Forge } from '../forge.ts';
import { nodeId } from '../graphql/node-id.ts';
import { labelJson } from '../issues/to-json.ts';
import { repositoryHtmlUrl, repositoryJson, repositoryUrl } from '../repositories/to-json.ts';
import { mergeBlocked } from '../protection/merge-blocked.ts';
import { combinedState } from '../statuses/combined.ts';
import type { PullRow, RepositoryRow } from '../store/rows.ts';
import { associationOf, userJson } from '../users/to-json.ts';
import type { PullFacts } from './facts.ts';

/** A pull request in lists. */
export function pullSimpleJson(forge: Forge, repository: RepositoryRow, pull: PullRow) {
  const { users, issues } = forge.store;
  const api = repositoryUrl(forge, repository);
  const url = `${api}/pulls/${pull.number}`;
  const issueUrl = `${api}/issues/${pull.number}`;
  const html = `${repositoryHtmlUrl(forge, repository)}/pull/${pull.number}`;
  const author = users.byId(pull.user_id);
  const assignees = users.byIds(pull.assignees).map((user) => userJson(forge, user));
  const links = {
    commits: `${url}/commits`,
    review_comments: `${url}/comments`,
    review_comment: `${api}/pulls/comments{/number}`,
    comments: `${issueUrl}/comments`,
    statuses: `${api}/statuses/${pull.head_sha}`,
  };
  return {
    url,
    id: pull.id,
    node_id: nodeId('PR', pull.id),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issueUrl,
    commits_url: links.commits,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    comments_url: links.comments,
    statuses_url: links.statuses,
    number: pull.number,
    state: pull.state,
    locked: false,
    title: pull.title,
    user: userJson(forge, author),
    body: pull.body,
    labels: issues.labels(pull.id).map((label) => labelJson(forge, repository, label)),
    milestone: null,
    active_lock_reason: null,
    created_at: pull.created_at,
    updated_at: pull.updated_at,
    closed_at: pull.closed_at,
    merged_at: pull.merged_at,
    merge_commit_sha: pull.merge_commit_sha,
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: users.byIds(pull.reviewers).map((user) => userJson(forge, user)),
    requested_teams: [],
    head: side(forge, repository, pull.head_ref, pull.head_sha),
    base: side(forge, repository, pull.base_ref, pull.base_sha),
    _links: {
      self: { href: url },
      html: { href: html },
      issue: { href: issueUrl },
      ...Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
    },
    author_association: associationOf(author, repository),
    auto_merge: null,
    draft: pull.draft === 1,
  };
}

/** One pull request in full. */
export function pullJson(forge: Forge, repository: RepositoryRow, pull: PullRow, facts: PullFacts) {
  const { users, issues, reviews } = forge.store;
  const open = pull.state === 'open';
  const mergedBy = pull.merged_by === null ? null : users.byId(pull.merged_by);
  return {
    ...pullSimpleJson(forge, repository, pull),
    merged: pull.merged_at !== null,
    mergeable: open ? facts.mergeable : null,
    rebaseable: open ? facts.mergeable : null,
    mergeable_state: open ? mergeableState(forge, repository, pull, facts) : 'unknown',
    merged_by: mergedBy === null ? null : userJson(forge, mergedBy),
    comments: issues.commentCount(pull.id),
    review_comments: reviews.comments(pull.id).length,
    maintainer_can_modify: false,
    commits: facts.commits,
    additions: facts.additions,
    deletions: facts.deletions,
    changed_files: facts.files,
  };
}

function mergeableState(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  facts: PullFacts,
): string {
  if (!facts.mergeable) return 'dirty';
  if (pull.draft === 1) return 'draft';
  if (mergeBlocked(forge, repository, pull) !== undefined) return 'blocked';
  const state = combinedState(forge.store.checks, repository.id, pull.head_sha);
  return state === 'success' || state === 'none' ? 'clean' : 'unstable';
}

function side(forge: Forge, repository: RepositoryRow, ref: string, sha: string) {
  return {
    label: `${repository.owner}:${ref}`,
    ref,
    sha,
    user: userJson(forge, forge.store.users.findOrCreate(repository.owner)),
    repo: repositoryJson(forge, repository),
  };
}
