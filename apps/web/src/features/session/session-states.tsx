import type { ShipError } from '@ship/protocol';
import { Link } from '@tanstack/react-router';
import { Button, buttonStyles } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

export const SessionLoading = () => (
  <div aria-busy className="flex min-h-0 flex-1 flex-col">
    <h1 className="sr-only">Session</h1>
    <div className="space-y-2 border-b border-line px-6 py-3">
      <Skeleton className="h-5 w-72" />
      <Skeleton className="h-3 w-48" />
    </div>
    <div className="mx-auto w-full max-w-3xl flex-1 space-y-4 p-6">
      <Skeleton className="ml-auto h-14 w-3/5 rounded-2xl" />
      <Skeleton className="h-4 w-2/5" />
      <Skeleton className="h-4 w-4/5" />
      <Skeleton className="h-4 w-3/5" />
    </div>
  </div>
);

interface SessionUnavailableProps {
  readonly error: Pick<ShipError, 'message' | 'remedy'>;
}

export const SessionUnavailable = ({ error }: SessionUnavailableProps) => (
  <Page title="Session">
    <div role="alert">
      <h1 className="text-xl font-semibold tracking-tight">Can’t show this session</h1>
      <p className="mt-1 max-w-prose text-muted">
        {error.message} {error.remedy}
      </p>
    </div>
    <div className="mt-5 flex gap-2">
      <Button variant="primary" onClick={() => location.reload()}>
        Reload
      </Button>
      <Link to="/" className={buttonStyles()}>
        Go to Home
      </Link>
    </div>
  </Page>
);
