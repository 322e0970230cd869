import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { boardQuery } from '../../data/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/notice.tsx';
import { Page, PageHeading } from '../../ui/page.tsx';
import { BoardSkeleton } from './board-skeleton.tsx';
import { BoardView } from './board-view.tsx';
import { DraftDialog } from './draft-dialog.tsx';

export function BoardPage() {
  const { data: board, error, refetch } = useQuery(boardQuery);
  const [isWriting, setIsWriting] = useState(false);
  return (
    <Page
      title="Board"
      className="flex flex-col md:min-h-0 md:flex-1 md:max-w-none! md:pt-8! md:pb-4!"
    >
      <PageHeading
        title="Board"
        text={
          board === undefined
            ? 'Every task, from idea to merge.'
            : `${board.working} of ${board.workingLimit} agents running`
        }
      >
        <Button variant="primary" onClick={() => setIsWriting(true)}>
          <Plus aria-hidden /> Add a task
        </Button>
      </PageHeading>
      {board === undefined && error === null && <BoardSkeleton />}
      {board === undefined && error !== null && (
        <FailureNote cause={error} onRetry={() => void refetch()} />
      )}
      {board !== undefined && <BoardView board={board} onAdd={() => setIsWriting(true)} />}
      {isWriting && <DraftDialog card={null} onClose={() => setIsWriting(false)} />}
    </Page>
  );
}
