import { useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { loadSessionApi } from '../../api/load.ts';
import { newRequestId } from '../../api/request-id.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { CopyCommand } from '../../ui/copy-command.tsx';
import { FailureNote } from '../../ui/notice.tsx';

/** Starts the demo. If the request fails, it offers the CLI command. */
export function DemoButton() {
  const navigate = useNavigate();
  const [requestId] = useState(newRequestId);
  const start = useAction(async () => (await loadSessionApi()).startDemo(requestId), {
    showsErrorInline: true,
    onDone: ({ sessionId }) => void navigate({ to: '/sessions/$sessionId', params: { sessionId } }),
  });
  return (
    <>
      {start.error !== null && (
        <div className="mb-3 space-y-2">
          <FailureNote cause={start.error} />
          <CopyCommand command="npx --no-install ship demo" />
        </div>
      )}
      <Button
        variant="primary"
        className="w-fit"
        onClick={() => start.mutate(undefined)}
        disabled={start.isPending || start.isSuccess}
      >
        <Play aria-hidden /> {start.isPending ? 'Preparing…' : 'Run the demo'}
      </Button>
    </>
  );
}
