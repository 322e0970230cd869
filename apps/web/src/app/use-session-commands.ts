import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import { useMemo } from 'react';
import type { Command } from '../features/commands/command.ts';
import { recentQuery } from '../features/home/session-lists.ts';

/** Commands that open a recent session. */
export function useSessionCommands(): readonly Command[] {
  const navigate = useNavigate();
  const { data } = useInfiniteQuery(recentQuery(''));
  return useMemo(
    () =>
      (data?.pages.flatMap((page) => page.sessions) ?? []).map(({ sessionId, title }): Command => ({
        id: `session:${sessionId}`,
        label: title,
        group: 'Sessions',
        icon: MessageSquare,
        keys: null,
        run: () => void navigate({ to: '/sessions/$sessionId', params: { sessionId } }),
      })),
    [data, navigate],
  );
}
