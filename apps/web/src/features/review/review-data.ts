import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { PullRequestView, SessionState } from '@ship/protocol';
import { useCallback } from 'react';
import { loadSessionApi } from '../../api/load.ts';
import { retryIntervalMs } from '../../data/query-defaults.ts';
import { useLastingError } from '../../data/use-lasting-error.ts';

const pendingChecksMs = 15_000;

/** A fingerprint of the pull request's state in the log; a change refetches it from the forge. */
const fingerprintOf = ({ git: { pushedSha, outside, pullRequest } }: SessionState): string =>
  [pushedSha, outside?.sha, pullRequest?.state, pullRequest?.draft].join(' ');

/** The pull request at the forge and the diff that a merge would apply. */
export function useReviewData(state: SessionState) {
  const { sessionId } = state;
  const client = useQueryClient();
  const viewKey = ['pull-request', sessionId, fingerprintOf(state)];
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
  /** The response of an action is newer than the cached view. */
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
