import { SessionId } from '@ship/protocol';
import { useParams } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { NotFound } from '../../app/not-found.tsx';
import type { LinkState } from '../../live/reconnecting-socket.ts';
import { setPageTitle } from '../notifications/page-title.ts';
import type { Feed } from '../session/feed/feed-state.ts';
import { useFeed } from '../session/feed/use-feed.ts';
import { LinkBanner } from '../session/link-banner.tsx';
import { SessionContext } from '../session/session-context.ts';
import { SessionLoading, SessionUnavailable } from '../session/session-states.tsx';
import { useSessionActions } from '../session/use-session-actions.ts';
import { NoPullRequest } from './no-pull-request.tsx';
import { ReviewScreen } from './review-screen.tsx';

/** Reviews, comments on and merges a session's pull request. */
export function ReviewPage() {
  const { sessionId } = useParams({ from: '/sessions/$sessionId/review' });
  const parsed = SessionId.safeParse(sessionId);
  return parsed.success ? <Opened key={parsed.data} sessionId={parsed.data} /> : <NotFound />;
}

function Opened({ sessionId }: { readonly sessionId: SessionId }) {
  const { snapshot, feed } = useFeed(sessionId);
  const { phase, link } = snapshot;
  if (phase.kind === 'loading') return <SessionLoading />;
  if (phase.kind === 'failed') return <SessionUnavailable error={phase.error} />;
  return (
    <Ready sessionId={sessionId} feed={phase.feed} link={link} onReconnect={feed.reconnectNow} />
  );
}

interface ReadyProps {
  readonly sessionId: SessionId;
  readonly feed: Feed;
  readonly link: LinkState;
  readonly onReconnect: () => void;
}

function Ready({ sessionId, feed: { state }, link, onReconnect }: ReadyProps) {
  const actions = useSessionActions(sessionId);
  const scope = useMemo(
    () => ({ sessionId, state, actions, promptOf: () => undefined }),
    [sessionId, state, actions],
  );
  useEffect(() => setPageTitle(`Review: ${state.title}`), [state.title]);
  const { pullRequest } = state.git;
  return (
    <SessionContext value={scope}>
      <div className="flex min-h-0 flex-1 flex-col">
        <LinkBanner link={link} onReconnect={onReconnect} />
        {pullRequest === null ? <NoPullRequest /> : <ReviewScreen pullRequest={pullRequest} />}
      </div>
    </SessionContext>
  );
}
