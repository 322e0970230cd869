import type { Forge } from '../forge.ts';
import { nodeId } from '../graphql/node-id.ts';
import { repositoryHtmlUrl, repositoryUrl } from '../repositories/to-json.ts';
import type { CommentRow, IssueRow, LabelRow, RepositoryRow } from '../store/rows.ts';
import { associationOf, userJson } from '../users/to-json.ts';

export function labelJson(forge: Forge, repository: RepositoryRow, label: LabelRow) {
  return {
    id: label.id,
    node_id: nodeId('LA', label.id),
    url: `${repositoryUrl(forge, repository)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    description: label.description ?? '',
  };
}

export function issueJson(forge: Forge, repository: RepositoryRow, issue: IssueRow) {
  const { users, issues, pulls } = forge.store;
  const api = repositoryUrl(forge, repository);
  const url = `${api}/issues/${issue.number}`;
  const kind = issue.is_pull === 1 ? 'pull' : 'issues';
  const html = `${repositoryHtmlUrl(forge, repository)}/${kind}/${issue.number}`;
  const author = users.byId(issue.user_id);
  const assignees = users.byIds(issue.assignees).map((user) => userJson(forge, user));
  const pull = issue.is_pull === 1 ? pulls.byId(issue.id) : undefined;
  return {
    id: issue.id,
    node_id: nodeId(issue.is_pull === 1 ? 'PR' : 'I', issue.id),
    url,
    repository_url: api,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: html,
    number: issue.number,
    state: issue.state,
    state_reason: issue.state_reason,
    title: issue.title,
    body: issue.body,
    user: userJson(forge, author),
    labels: issues.labels(issue.id).map((label) => labelJson(forge, repository, label)),
    assignee: assignees[0] ?? null,
    assignees,
    milestone: null,
    locked: false,
    active_lock_reason: null,
    comments: issues.commentCount(issue.id),
    closed_at: issue.closed_at,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    author_association: associationOf(author, repository),
    reactions: noReactions(`${url}/reactions`),
    ...(pull === undefined
      ? {}
      : {
          draft: pull.draft === 1,
          pull_request: {
            url: `${api}/pulls/${issue.number}`,
            html_url: html,
            diff_url: `${html}.diff`,
            patch_url: `${html}.patch`,
            merged_at: pull.merged_at,
          },
        }),
  };
}

export function commentJson(
  forge: Forge,
  repository: RepositoryRow,
  issue: IssueRow,
  comment: CommentRow,
) {
  const api = repositoryUrl(forge, repository);
  const kind = issue.is_pull === 1 ? 'pull' : 'issues';
  const page = `${repositoryHtmlUrl(forge, repository)}/${kind}/${issue.number}`;
  const author = forge.store.users.byId(comment.user_id);
  const url = `${api}/issues/comments/${comment.id}`;
  return {
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    url,
    html_url: `${page}#issuecomment-${comment.id}`,
    body: comment.body,
    user: userJson(forge, author),
    created_at: comment.created_at,
    updated_at: comment.updated_at,
    issue_url: `${api}/issues/${issue.number}`,
    author_association: associationOf(author, repository),
    performed_via_github_app: null,
    reactions: noReactions(`${url}/reactions`),
  };
}

export function noReactions(url: string) {
  const none = { '+1': 0, '-1': 0, laugh: 0, hooray: 0, confused: 0, heart: 0, rocket: 0, eyes: 0 };
  return { url, total_count: 0, ...none };
}
