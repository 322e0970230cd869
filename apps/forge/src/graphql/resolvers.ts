import { GraphQLError } from 'graphql';
import type { Forge } from '../forge.ts';
import type { Actor } from '../http/actor.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { pullFacts } from '../pulls/facts.ts';
import { syncRefs } from '../pulls/sync.ts';
import { setDraft } from '../pulls/update.ts';
import { discover } from '../repositories/register.ts';
import { repositoryHtmlUrl } from '../repositories/to-json.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { nodeId, parseNodeId } from './node-id.ts';

interface DraftInput {
  input: { pullRequestId: string; clientMutationId?: string | null };
}

interface PullFilter {
  first?: number | null;
  states?: string[] | null;
  headRefName?: string | null;
  baseRefName?: string | null;
}

function missing(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type: 'NOT_FOUND' } });
}

export function rootOf(forge: Forge, actor: Actor, rate: RateLimit) {
  const { pulls, repositories, users } = forge.store;

  const user = (row: UserRow) => ({
    __typename: 'User',
    id: nodeId('U', row.id),
    databaseId: row.id,
    login: row.login,
    name: row.name,
    url: `${forge.urls.html}/${row.login}`,
  });

  const pull = (repo: RepositoryRow, row: PullRow) => ({
    __typename: 'PullRequest',
    id: nodeId('PR', row.id),
    databaseId: row.id,
    number: row.number,
    title: row.title,
    body: row.body ?? '',
    url: `${repositoryHtmlUrl(forge, repo)}/pull/${row.number}`,
    state: stateOf(row),
    isDraft: row.draft === 1,
    merged: row.merged_at !== null,
    closed: row.state === 'closed',
    mergeable: async () => {
      if (row.state !== 'open') return 'UNKNOWN';
      return (await pullFacts(forge, repo, row)).mergeable ? 'MERGEABLE' : 'CONFLICTING';
    },
    headRefName: row.head_ref,
    headRefOid: row.head_sha,
    baseRefName: row.base_ref,
    baseRefOid: row.base_sha,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    mergedAt: row.merged_at,
    closedAt: row.closed_at,
    author: () => user(users.byId(row.user_id)),
    repository: () => repository(repo),
  });

  const repository = (row: RepositoryRow): Record<string, unknown> => ({
    __typename: 'Repository',
    id: nodeId('R', row.id),
    databaseId: row.id,
    name: row.name,
    nameWithOwner: `${row.owner}/${row.name}`,
    isPrivate: true,
    isArchived: row.archived === 1,
    url: repositoryHtmlUrl(forge, row),
    defaultBranchRef: { name: row.default_branch },
    pullRequest: async ({ number }: { number: number }) => {
      await syncPulls(row);
      const found = pulls.find(row.id, number);
      if (found === undefined)
        throw missing(`Could not resolve to a PullRequest with the number of ${number}.`);
      return pull(row, found);
    },
    pullRequests: async (filter: PullFilter) => {
      await syncPulls(row);
      const matching = pulls
        .list(row.id)
        .filter(
          (one) =>
            filter.states === undefined ||
            filter.states === null ||
            filter.states.includes(stateOf(one)),
        )
        .filter((one) => (filter.headRefName ?? one.head_ref) === one.head_ref)
        .filter((one) => (filter.baseRefName ?? one.base_ref) === one.base_ref);
      const count = Math.min(Math.max(filter.first ?? 100, 0), 100);
      return {
        totalCount: matching.length,
        nodes: matching.slice(0, count).map((one) => pull(row, one)),
      };
    },
  });

  const syncPulls = (row: RepositoryRow) =>
    forge.queues.of(row.id).run(() => syncRefs(forge, row, actor.user));

  const visible = (row: RepositoryRow | undefined) =>
    row !== undefined && actor.canAccess(`${row.owner}/${row.name}`) ? row : undefined;

  const pullByNodeId = (id: string) => {
    const parsed = parseNodeId(id);
    const found = parsed?.kind === 'PR' ? pulls.findById(Number(parsed.key)) : undefined;
    const repo = found === undefined ? undefined : visible(repositories.byId(found.repository_id));
    return found === undefined || repo === undefined ? undefined : { found, repo };
  };

  const draft = async ({ input }: DraftInput, wanted: boolean) => {
    const node = pullByNodeId(input.pullRequestId);
    if (node === undefined)
      throw missing(`Could not resolve to a node with the global id of '${input.pullRequestId}'`);
    if (!actor.canWrite || node.repo.archived === 1)
      throw new GraphQLError('Resource not accessible by personal access token', {
        extensions: { type: 'FORBIDDEN' },
      });
    if (node.found.state !== 'open')
      throw new GraphQLError('Pull request is closed.', { extensions: { type: 'UNPROCESSABLE' } });
    const row = await setDraft(forge, node.repo, node.found.number, actor.user, wanted);
    return { clientMutationId: input.clientMutationId ?? null, pullRequest: pull(node.repo, row) };
  };

  return {
    viewer: () => user(actor.user),
    node: async ({ id }: { id: string }) => {
      const node = pullByNodeId(id);
      if (node === undefined)
        throw missing(`Could not resolve to a node with the global id of '${id}'`);
      await syncPulls(node.repo);
      return pull(node.repo, pulls.byId(node.found.id));
    },
    repository: async ({ owner, name }: { owner: string; name: string }) => {
      const row = visible(await discover(forge, owner, name));
      if (row === undefined)
        throw missing(`Could not resolve to a Repository with the name '${owner}/${name}'.`);
      return repository(row);
    },
    rateLimit: () => {
      const { reset, ...numbers } = rate.overview();
      return { ...numbers, cost: 1, resetAt: new Date(reset * 1000).toISOString() };
    },
    markPullRequestReadyForReview: (args: DraftInput) => draft(args, false),
    convertPullRequestToDraft: (args: DraftInput) => draft(args, true),
  };
}

function stateOf(row: PullRow): string {
  if (row.merged_at !== null) return 'MERGED';
  return row.state === 'open' ? 'OPEN' : 'CLOSED';
}
