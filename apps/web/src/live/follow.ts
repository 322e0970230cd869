import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Board, RepositoryList, SessionPage, Settings, WorkspaceChange } from '@ship/protocol';
import { boardQuery, repositoriesQuery, settingsQuery } from '../data/queries.ts';
import { meQuery } from '../features/sign-in/me.ts';
import { applyToBoard, applyToSessions } from './apply.ts';
import { followWorkspace } from './connection.ts';

const lists = [
  ['sessions'],
  ['summary'],
  ['board'],
  ['repositories'],
  ['settings'],
  ['figures'],
] as const;
const debounceMs = 400;

/** Keeps all lists in the query cache in sync with the server. Returns a function that stops it. */
export function keepListsLive(client: QueryClient): () => void {
  const scheduleRefetch = createRefetcher(client);
  const connection = followWorkspace({
    onReload: () => {
      for (const queryKey of lists) void client.invalidateQueries({ queryKey });
    },
    onLost: () => void client.invalidateQueries(meQuery),
    onChange: (change) => {
      applyToLists(client, change);
      scheduleRefetch(change);
    },
  });
  // A page is also hidden while it unloads: a connection opened then would only fail.
  const reconnectNow = () => {
    if (document.visibilityState === 'visible') connection.reconnectNow();
  };
  addEventListener('online', reconnectNow);
  document.addEventListener('visibilitychange', reconnectNow);
  return () => {
    removeEventListener('online', reconnectNow);
    document.removeEventListener('visibilitychange', reconnectNow);
    connection.close();
  };
}

function applyToLists(client: QueryClient, change: WorkspaceChange): void {
  client.setQueriesData<InfiniteData<SessionPage>>({ queryKey: ['sessions'] }, (data) =>
    data === undefined
      ? undefined
      : {
          ...data,
          pages: data.pages.map((page) => ({
            ...page,
            sessions: [...applyToSessions(page.sessions, change)],
          })),
        },
  );
  client.setQueryData<Board>(boardQuery.queryKey, (board) =>
    board === undefined ? undefined : (applyToBoard(board, change) ?? board),
  );
  if (change.type === 'settings.changed')
    client.setQueryData<Settings>(settingsQuery.queryKey, change.settings);
  if (change.type === 'repository.changed' || change.type === 'repository.removed')
    client.setQueryData<RepositoryList>(repositoriesQuery.queryKey, (list) =>
      list === undefined ? undefined : applyToRepositories(list, change),
    );
}

function applyToRepositories(
  { repositories }: RepositoryList,
  change: WorkspaceChange & { type: 'repository.changed' | 'repository.removed' },
): RepositoryList {
  if (change.type === 'repository.removed')
    return { repositories: repositories.filter((one) => one.repositoryId !== change.repositoryId) };
  const { repository } = change;
  const isKnown = repositories.some((one) => one.repositoryId === repository.repositoryId);
  return {
    repositories: isKnown
      ? repositories.map((one) => (one.repositoryId === repository.repositoryId ? repository : one))
      : [...repositories, repository],
  };
}

/**
 * Only the server knows which list a session belongs to and how many agents are running. Refetches the affected lists, debounced
 * over many changes. This also repairs a read that raced with a change.
 */
function createRefetcher(client: QueryClient) {
  const pending = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refetch = () => {
    timer = undefined;
    for (const key of pending) void client.invalidateQueries({ queryKey: [key] });
    pending.clear();
  };
  return ({ type }: WorkspaceChange) => {
    if (type.startsWith('session.')) pending.add('sessions').add('board').add('figures');
    if (type.startsWith('card.') || type.startsWith('board.')) pending.add('board');
    timer ??= setTimeout(refetch, debounceMs);
  };
}
