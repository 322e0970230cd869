import type { Forge } from '../forge.ts';
import { nodeId } from '../graphql/node-id.ts';
import { noReactions } from '../issues/to-json.ts';
import { repositoryHtmlUrl, repositoryUrl } from '../repositories/to-json.ts';
import type { PullRow, RepositoryRow, ReviewCommentRow, ReviewRow } from '../store/rows.ts';
import { associationOf, userJson } from '../users/to-json.ts';

export function reviewJson(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  review: ReviewRow,
) {
  const url = `${repositoryUrl(forge, repository)}/pulls/${pull.number}`;
  const html = `${repositoryHtmlUrl(forge, repository)}/pull/${pull.number}#pullrequestreview-${review.id}`;
  const user = forge.store.users.byId(review.user_id);
  return {
    id: review.id,
    node_id: nodeId('PRR', review.id),
    user: userJson(forge, user),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: url,
    _links: { html: { href: html }, pull_request: { href: url } },
    commit_id: review.commit_sha,
    author_association: associationOf(user, repository),
    ...(review.submitted_at === null ? {} : { submitted_at: review.submitted_at }),
  };
}

export function reviewCommentJson(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  comment: ReviewCommentRow,
) {
  const api = repositoryUrl(forge, repository);
  const url = `${api}/pulls/comments/${comment.id}`;
  const pullUrl = `${api}/pulls/${pull.number}`;
  const html = `${repositoryHtmlUrl(forge, repository)}/pull/${pull.number}#discussion_r${comment.id}`;
  const user = forge.store.users.byId(comment.user_id);
  return {
    url,
    pull_request_review_id: comment.review_id,
    id: comment.id,
    node_id: nodeId('PRRC', comment.id),
    diff_hunk: comment.diff_hunk,
    path: comment.path,
    position: comment.position,
    original_position: comment.position ?? 1,
    commit_id: comment.commit_sha,
    original_commit_id: comment.commit_sha,
    user: userJson(forge, user),
    body: comment.body,
    created_at: comment.created_at,
    updated_at: comment.updated_at,
    html_url: html,
    pull_request_url: pullUrl,
    author_association: associationOf(user, repository),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: pullUrl } },
    ...(comment.line === null ? {} : { line: comment.line, original_line: comment.line }),
    start_line: comment.start_line,
    original_start_line: comment.start_line,
    start_side: comment.start_side,
    side: comment.side,
    subject_type: comment.subject_type,
    ...(comment.in_reply_to === null ? {} : { in_reply_to_id: comment.in_reply_to }),
    reactions: noReactions(`${url}/reactions`),
  };
}
