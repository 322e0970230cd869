import { AppWindow } from 'lucide-react';
import { cx } from 'class-variance-authority';
import { useState } from 'react';
import { loadPortsApi } from '../../../../api/load.ts';
import { useAction } from '../../../../data/use-action.ts';
import { Button } from '../../../../ui/button.tsx';
import { Empty, FailureNote } from '../../../../ui/notice.tsx';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import { NeedsSandbox } from '../needs-sandbox.tsx';
import type { PaneProps } from '../panes.ts';
import type { PortAddress } from './address.ts';
import { PortFrame } from './port-frame.tsx';
import { PreviewBar } from './preview-bar.tsx';
import type { Width } from './preview-bar.tsx';
import { usePorts } from './use-ports.ts';

const maxWidths: Readonly<Record<Width, string>> = {
  full: 'w-full',
  tablet: 'w-full max-w-[768px]',
  phone: 'w-full max-w-[390px]',
};
const defaultPort = 3000;

/** Shows a server in the sandbox: the first open port at first, others by choice. */
export default function PreviewPane({ feed, isShown }: PaneProps) {
  const { sessionId, sandbox } = feed.state;
  const isRunning = sandbox.status === 'running';
  const { data, error, refetch } = usePorts(sessionId, isShown && isRunning);
  const [chosen, setChosen] = useState<PortAddress | null>(null);
  const [round, setRound] = useState(0);
  const [width, setWidth] = useState<Width>('full');
  const newTab = useNewTab(feed.state.sessionId);
  const ports = data?.ports ?? [];
  const named = feed.state.environment?.ports ?? [];
  const labels = new Map(
    named.flatMap(({ port, label }) => (label === null ? [] : [[port, label]])),
  );
  // Prefer the port that the repository wants shown, else the lowest one.
  const wanted = named.find(({ port, opensPreview }) => opensPreview && ports.includes(port))?.port;
  const first = wanted ?? ports[0];
  // Keep the shown port: a second server on a lower port must not replace it.
  if (chosen === null && first !== undefined) setChosen({ port: first, path: '/' });
  if (!isRunning) return <NeedsSandbox subject="The preview" sandbox={sandbox} />;
  if (chosen === null && data === undefined)
    return error === null ? (
      <Skeleton className="m-3 h-40 rounded-lg" />
    ) : (
      <FailureNote cause={error} onRetry={() => void refetch()} className="m-3" />
    );
  if (chosen === null)
    return <NoServer onOpen={() => setChosen({ port: defaultPort, path: '/' })} />;
  return (
    <>
      <PreviewBar
        ports={ports}
        labels={labels}
        address={chosen}
        width={width}
        onAddress={(address) => {
          setChosen(address);
          setRound((before) => before + 1);
        }}
        onWidth={setWidth}
        onReload={() => setRound((before) => before + 1)}
        onNewTab={() => newTab(chosen)}
      />
      <div className="flex min-h-0 flex-1 flex-col items-center bg-rail">
        <PortFrame
          sessionId={sessionId}
          address={chosen}
          round={round}
          title={`Port ${chosen.port} of the sandbox`}
          className={cx(maxWidths[width], width !== 'full' && 'border-x border-line')}
        />
      </div>
    </>
  );
}

const NoServer = ({ onOpen }: { readonly onOpen: () => void }) => (
  <div className="p-3">
    <Empty
      icon={AppWindow}
      title="No server running yet"
      action={<Button onClick={onOpen}>Open port {defaultPort}</Button>}
    >
      Start a dev server in the terminal, or ask the agent to. Its page appears here once its port
      is open.
    </Empty>
  </div>
);

/** Opens the tab synchronously in the click, because browsers block later pop-ups, and sets its URL once the ticket is there. */
function useNewTab(sessionId: Parameters<typeof usePorts>[0]) {
  const ticket = useAction(
    async ({ port, path, tab }: PortAddress & { readonly tab: Window | null }) => {
      try {
        const { url } = await (await loadPortsApi()).createPortTicket(sessionId, port, path);
        if (tab !== null) tab.location.replace(url);
      } catch (cause) {
        tab?.close();
        throw cause;
      }
    },
  );
  return (address: PortAddress) => {
    const tab = window.open('about:blank', '_blank');
    // Code in the sandbox must not get a reference to this page.
    if (tab !== null) tab.opener = null;
    ticket.mutate({ ...address, tab });
  };
}
