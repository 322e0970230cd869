import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { PullRequestView, SessionState } from '@ship/protocol';
import { useCallback } from 'react';
import { loadSessionApi } from '../../api/load.ts';
import { retryIntervalMs } from '../../data/query-defaults.ts';
import { useLastingError } from '../../data/use-lasting-error.ts';

const pendingChecksMs = 15_000;

/** What the log tells of the pull request: when this changes, the forge is asked again. */
const stampOf = ({ git: { pushedSha, outside, pullRequest } }: SessionState): string =>
  [pushedSha, outside?.sha, pullRequest?.state, pullRequest?.draft].join(' ');

/** The pull request as the forge has it, and what a merge of it would bring. */
export function useReviewData(state: SessionState) {
  const { sessionId } = state;
  const client = useQueryClient();
  const viewKey = ['pull-request', sessionId, stampOf(state)];
  const view = useQuery({
    queryKey: viewKey,
    queryFn: async ({ signal }) => (await loadSessionApi()).readPullRequest(sessionId, signal),
    placeholderData: (before) => before,
    refetchInterval: (query) =>
      retryIntervalMs(query) ||
      (query.state.data?.checks.state === 'pending' ? pendingChecksMs : false),
  });
  const headSha = view.data?.pullRequest.headSha;
  const diff = useQuery({
    queryKey: ['pull-request-diff', sessionId, headSha],
    queryFn: async ({ signal }) => (await loadSessionApi()).readPullRequestDiff(sessionId, signal),
    enabled: headSha !== undefined,
    placeholderData: (before) => before,
    staleTime: Infinity,
  });
  /** What an action answered is newer than what was read. */
  const onChanged = useCallback(
    (next: PullRequestView) =>
      client.setQueriesData({ queryKey: ['pull-request', sessionId] }, () => next),
    [client, sessionId],
  );
  return {
    view,
    diff,
    viewError: useLastingError(view),
    diffError: useLastingError(diff),
    onChanged,
  };
}
