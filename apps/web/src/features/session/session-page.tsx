import { SessionId } from '@ship/protocol';
import { useParams } from '@tanstack/react-router';
import { NotFound } from '../../app/not-found.tsx';
import { SessionLoading, SessionUnavailable } from './session-states.tsx';
import { SessionScreen } from './session-screen.tsx';
import { FeedContext, useFeed } from './feed/use-feed.ts';

export function SessionPage() {
  const { sessionId } = useParams({ from: '/sessions/$sessionId' });
  const parsed = SessionId.safeParse(sessionId);
  return parsed.success ? <Opened key={parsed.data} sessionId={parsed.data} /> : <NotFound />;
}

function Opened({ sessionId }: { readonly sessionId: SessionId }) {
  const { snapshot, feed } = useFeed(sessionId);
  const { phase } = snapshot;
  if (phase.kind === 'loading') return <SessionLoading />;
  if (phase.kind === 'failed') return <SessionUnavailable error={phase.error} />;
  return (
    <FeedContext value={feed}>
      <SessionScreen
        sessionId={sessionId}
        feed={phase.feed}
        link={snapshot.link}
        isLoadingOlder={snapshot.isLoadingOlder}
        onOlder={feed.loadOlder}
        onAtEnd={feed.setIsAtEnd}
        onReconnect={feed.reconnectNow}
      />
    </FeedContext>
  );
}
