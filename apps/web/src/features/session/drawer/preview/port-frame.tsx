import { useQuery } from '@tanstack/react-query';
import type { SessionId } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { useState } from 'react';
import { loadPortsApi } from '../../../../api/load.ts';
import { buttonStyles } from '../../../../ui/button.tsx';
import { FailureNote } from '../../../../ui/notice.tsx';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import { framingPage } from './address.ts';
import type { PortAddress } from './address.ts';

interface PortFrameProps {
  readonly sessionId: SessionId;
  readonly address: PortAddress;
  readonly title: string;
  /** Change it to reload the frame. */
  readonly round: number;
  /** For the editor, which is our program; other content of a sandbox could read what the user copied elsewhere. */
  readonly mayUseClipboard?: boolean;
  readonly className?: string;
}

/** Frames a sandbox port on its own origin, never on ours. */
export function PortFrame({
  sessionId,
  address,
  title,
  round,
  mayUseClipboard = false,
  className,
}: PortFrameProps) {
  const { port, path } = address;
  const [loadedUrl, setLoadedUrl] = useState<string | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['port-ticket', sessionId, port, path, round],
    queryFn: async () => (await loadPortsApi()).createPortTicket(sessionId, port, path),
    // A ticket works once: request another one only to reload the frame.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchInterval: false,
  });
  if (error !== null)
    return <FailureNote cause={error} onRetry={() => void refetch()} className="m-3" />;
  if (data === undefined) return <Loading />;
  const { url, framedBy } = data;
  if (framedBy !== location.origin) return <OtherName framedBy={framedBy} />;
  return (
    <div className={cx('relative flex min-h-0 flex-1', className)}>
      {loadedUrl !== url && (
        <div className="absolute inset-0">
          <Loading />
        </div>
      )}
      <iframe
        title={title}
        src={url}
        onLoad={() => setLoadedUrl(url)}
        // The content may run scripts and store data on its own origin, but must not navigate our page.
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-modals allow-downloads"
        allow={mayUseClipboard ? 'clipboard-read; clipboard-write; fullscreen' : 'fullscreen'}
        referrerPolicy="no-referrer"
        className="min-h-0 w-full flex-1 border-0 bg-white"
      />
    </div>
  );
}

const Loading = () => (
  <div aria-busy className="space-y-3 p-4">
    <span className="sr-only">Loading…</span>
    <Skeleton className="h-6 w-1/3" />
    <Skeleton className="h-40 w-full" />
  </div>
);

const OtherName = ({ framedBy }: { readonly framedBy: string }) => (
  <div className="m-3 rounded-lg border border-line bg-rail p-4 text-sm">
    <p className="font-medium">This page was opened under a name that can’t show sandboxes.</p>
    <p className="mt-1 text-muted">
      Browsers treat <code>{location.hostname}</code> and sandboxes as unrelated sites. Open Ship
      under the other name, or use a new tab.
    </p>
    <a href={framingPage(framedBy, location.href)} className={`mt-3 ${buttonStyles()}`}>
      Continue on {new URL(framedBy).host}
    </a>
  </div>
);
