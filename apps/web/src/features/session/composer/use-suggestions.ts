import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { SessionId } from '@ship/protocol';
import { useDeferredValue } from 'react';
import { loadSessionApi } from '../../../api/load.ts';
import { modelsQuery } from '../../../data/queries.ts';
import { commandsLike } from './commands.ts';
import type { Token } from './token.ts';

export interface Suggestion {
  readonly key: string;
  /** Replaces the typed text. */
  readonly text: string;
  readonly detail: string;
  /** Takes no argument: choosing it sends it. */
  readonly isWhole: boolean;
}

const maxShown = 8;

/** Suggestions for the token at the caret. */
export function useSuggestions(sessionId: SessionId, token: Token | null): readonly Suggestion[] {
  const query = useDeferredValue(token?.query ?? '');
  const files = useQuery({
    queryKey: ['file-search', sessionId, query],
    queryFn: async ({ signal }) => (await loadSessionApi()).searchFiles(sessionId, query, signal),
    enabled: token?.kind === 'mention',
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    retry: false,
  });
  const models = useQuery({ ...modelsQuery, enabled: token?.kind === 'model' });
  if (token === null) return [];
  switch (token.kind) {
    case 'command':
      return commandsLike(token.query).map(({ name, label, takes }) => ({
        key: name,
        text: `/${name}`,
        detail: label,
        isWhole: takes === 'nothing',
      }));
    case 'mention':
      return (files.data?.paths ?? []).slice(0, maxShown).map((path) => ({
        key: path,
        text: `@${path}`,
        detail: '',
        isWhole: false,
      }));
    case 'model':
      return (models.data?.models ?? [])
        .filter(({ ref }) => ref.toLowerCase().includes(token.query.toLowerCase()))
        .slice(0, maxShown)
        .map(({ ref, name }) => ({
          key: ref,
          text: `/model ${ref}`,
          detail: name,
          isWhole: true,
        }));
  }
}
