import { type SessionId, type SessionState, ShipFailure, shipError } from '@ship/protocol';
import type { EndReason, ShipClient, WatchStatus } from '@ship/protocol/client';
import type { LogFacts } from '../result/result.ts';
import type { Reporter } from './reporter.ts';
import { SessionFold } from './session-fold.ts';

export interface Followed {
  state: SessionState;
  seen: LogFacts;
}

interface FollowOptions {
  client: ShipClient;
  sessionId: SessionId;
  reporter: Reporter;
  /** The condition to stop; never stops when absent. */
  until?: (state: SessionState) => boolean;
  signal?: AbortSignal;
}

const END_ERRORS: Record<EndReason, Parameters<typeof shipError>> = {
  'sign-in': ['unauthenticated', 'The server does not accept this token.', 'Check SHIP_TOKEN.'],
  'session-gone': ['not-found', 'The session does not exist.', 'ship ls lists all sessions.'],
  'upgrade-client': ['protocol-too-old', 'The server is newer than this client.', 'Update Ship.'],
  closed: ['unavailable', 'The connection was closed.', 'Try again.'],
};

/** Follows a session's log until a condition holds; undefined when it was aborted before. */
export function follow(options: FollowOptions): Promise<Followed | undefined> {
  const { client, sessionId, reporter, until, signal } = options;
  const fold = new SessionFold();
  let isLive = false;
  return new Promise((resolve, reject) => {
    const watch = client.watch(sessionId, {
      onEvents: (events) => {
        fold.add(events);
        reporter.events(events, fold.state);
        check();
      },
      onLive: () => fold.onLive(Date.now()),
      onStatus: (status: WatchStatus) => {
        isLive = status.status === 'live';
        reporter.connection(status);
        if (status.status === 'ended' && status.reason !== 'closed')
          reject(new ShipFailure(shipError(...END_ERRORS[status.reason])));
        check();
      },
    });
    const abort = () => finish(undefined);
    /** Checks only when up to date: a session that was done may have new work in a later page. */
    function check() {
      const { state, seen } = fold;
      if (isLive && state !== undefined && until?.(state) === true) finish({ state, seen });
    }
    function finish(followed: Followed | undefined) {
      signal?.removeEventListener('abort', abort);
      watch.close();
      resolve(followed);
    }
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    else watch.start();
  });
}
