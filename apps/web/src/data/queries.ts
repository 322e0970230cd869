import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { SessionId, UsageGrouping } from '@ship/protocol';
import { loadApi, loadForgesApi, loadModelsApi } from '../api/load.ts';
import type { SessionFilter } from '../api/workspace.ts';

/** The live connection updates these queries (see live/), so they never become stale. */
const pushed = { staleTime: Infinity } as const;

export const sessionsQuery = (filter: SessionFilter) =>
  infiniteQueryOptions({
    queryKey: ['sessions', filter],
    queryFn: async ({ signal, pageParam }) =>
      (await loadApi()).listSessions(filter, pageParam, signal),
    initialPageParam: undefined as SessionId | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    ...pushed,
  });

export const boardQuery = queryOptions({
  queryKey: ['board'],
  queryFn: async ({ signal }) => (await loadApi()).readBoard(signal),
  ...pushed,
});

export const repositoriesQuery = queryOptions({
  queryKey: ['repositories'],
  queryFn: async ({ signal }) => (await loadApi()).listRepositories(signal),
  ...pushed,
});

/** Read on each visit: a push to the repository sends no event. */
export const repositoryPlanQuery = (location: string) =>
  queryOptions({
    queryKey: ['repository-plan', location],
    queryFn: async ({ signal }) => (await loadApi()).readRepositoryPlan(location, signal),
  });

export const setupsQuery = queryOptions({
  queryKey: ['setups'],
  queryFn: async ({ signal }) => (await loadApi()).listSetups(signal),
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async ({ signal }) => (await loadApi()).readSettings(signal),
  ...pushed,
});

export const secretsQuery = queryOptions({
  queryKey: ['secrets'],
  queryFn: async ({ signal }) => (await loadApi()).listSecrets(signal),
});

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async ({ signal }) => (await loadApi()).listTokens(signal),
});

export const statsQuery = queryOptions({
  queryKey: ['figures', 'stats'],
  queryFn: async ({ signal }) => (await loadApi()).readStats(signal),
});

export const calibrationQuery = queryOptions({
  queryKey: ['figures', 'calibration'],
  queryFn: async ({ signal }) => (await loadApi()).readCalibration(signal),
});

export const usageQuery = (from: string, by: UsageGrouping) =>
  queryOptions({
    queryKey: ['figures', 'usage', from, by],
    queryFn: async ({ signal }) => (await loadApi()).readUsage(from, by, signal),
  });

/** Provider availability changes without an event, so this becomes stale. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async ({ signal }) => (await loadModelsApi()).listModels(signal),
  staleTime: 60_000,
});

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async ({ signal }) => (await loadModelsApi()).listProviders(signal),
});

export const forgesQuery = queryOptions({
  queryKey: ['forges'],
  queryFn: async ({ signal }) => (await loadForgesApi()).listForges(signal),
});

export const spendingQuery = queryOptions({
  queryKey: ['figures', 'spending'],
  queryFn: async ({ signal }) => (await loadModelsApi()).readSpending(signal),
});
