import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Board, Card } from '@ship/protocol';
import { loadApi, loadSessionApi } from '../../api/load.ts';
import { boardQuery } from '../../data/queries.ts';
import { useAction } from '../../data/use-action.ts';
import { moveOnBoard, placeCard } from '../../live/apply.ts';
import { toast } from '../../ui/toast-store.ts';
import { startsTask } from './move.ts';
import type { Target } from './move.ts';

interface Move extends Target {
  readonly card: Card;
}

/** Optimistic moves; a refused move is reverted with a toast. */
export function useBoardActions() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const read = () => client.getQueryData<Board>(boardQuery.queryKey);
  const write = (board: Board | undefined) => client.setQueryData(boardQuery.queryKey, board);
  const reload = () => void client.invalidateQueries({ queryKey: boardQuery.queryKey });

  const moving = useAction(async ({ card, column, after }: Move) => {
    const before = read();
    if (before !== undefined) write(moveOnBoard(before, card.cardId, column, after));
    try {
      const moved = await (await loadApi()).moveCard({ cardId: card.cardId, column, after });
      const now = read();
      if (now !== undefined) write(placeCard(now, moved));
    } catch (cause) {
      reload();
      throw cause;
    }
  });

  const starting = useAction(
    async (card: Card & { kind: 'draft' }) => (await loadSessionApi()).startCard(card),
    {
      onDone: ({ sessionId }) => {
        reload();
        toast({
          tone: 'ok',
          title: 'Started',
          action: {
            label: 'Open session',
            run: () => void navigate({ to: '/sessions/$sessionId', params: { sessionId } }),
          },
        });
      },
    },
  );

  const removing = useAction(async (card: Card) => (await loadApi()).removeCard(card.cardId), {
    onDone: reload,
  });

  const start = (card: Card & { kind: 'draft' }) => {
    if (card.draft.repository !== null) starting.mutate(card);
    else
      toast({
        tone: 'ask',
        title: 'This task has no repository yet',
        text: 'Open it, choose a repository, then start it.',
      });
  };
  return {
    move: (card: Card, target: Target) => {
      if (card.kind === 'draft' && startsTask(card, target.column)) start(card);
      else moving.mutate({ card, ...target });
    },
    start,
    remove: (card: Card) => removing.mutate(card),
  };
}
