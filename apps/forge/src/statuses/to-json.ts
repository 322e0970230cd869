import type { Forge } from '../forge.ts';
import { nodeId } from '../graphql/node-id.ts';
import { repositoryHtmlUrl, repositoryUrl } from '../repositories/to-json.ts';
import type { CheckRunRow, PullRow, RepositoryRow, StatusRow } from '../store/rows.ts';
import { userJson } from '../users/to-json.ts';

export function statusJson(forge: Forge, repository: RepositoryRow, status: StatusRow) {
  const creator = userJson(forge, forge.store.users.byId(status.user_id));
  return {
    url: `${repositoryUrl(forge, repository)}/statuses/${status.sha}`,
    avatar_url: creator.avatar_url,
    id: status.id,
    node_id: nodeId('SC', status.id),
    state: status.state,
    description: status.description,
    target_url: status.target_url,
    context: status.context,
    created_at: status.created_at,
    updated_at: status.created_at,
    creator,
  };
}

export function checkRunJson(
  forge: Forge,
  repository: RepositoryRow,
  run: CheckRunRow,
  pulls: readonly PullRow[],
) {
  const api = repositoryUrl(forge, repository);
  const url = `${api}/check-runs/${run.id}`;
  const page = `${repositoryHtmlUrl(forge, repository)}/runs/${run.id}`;
  const repo = { id: repository.id, url: api, name: repository.name };
  return {
    id: run.id,
    head_sha: run.head_sha,
    node_id: nodeId('CR', run.id),
    external_id: run.external_id ?? '',
    url,
    html_url: page,
    details_url: run.details_url ?? page,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.started_at,
    completed_at: run.completed_at,
    output: {
      title: run.output_title,
      summary: run.output_summary,
      text: run.output_text,
      annotations_count: 0,
      annotations_url: `${url}/annotations`,
    },
    name: run.name,
    check_suite: { id: run.id },
    app: null,
    pull_requests: pulls.map((pull) => ({
      id: pull.id,
      number: pull.number,
      url: `${api}/pulls/${pull.number}`,
      head: { ref: pull.head_ref, sha: pull.head_sha, repo },
      base: { ref: pull.base_ref, sha: pull.base_sha, repo },
    })),
  };
}
