import { evolve } from '@ship/core';
import {
  type DurableEnvelope,
  type SessionId,
  type SessionState,
  knownEvent,
  shipError,
  ShipFailure,
} from '@ship/protocol';
import type { EndReason, ShipClient, WatchStatus } from '@ship/protocol/client';
import type { Seen } from '../result/result.ts';
import type { Reporter } from './reporter.ts';

export interface Followed {
  state: SessionState;
  seen: Seen;
}

interface FollowOptions {
  client: ShipClient;
  sessionId: SessionId;
  reporter: Reporter;
  /** When to stop; never when absent. */
  until?: (state: SessionState) => boolean;
  signal?: AbortSignal;
}

const END_ERRORS: Record<EndReason, [Parameters<typeof shipError>[0], string, string]> = {
  'sign-in': ['unauthenticated', 'The server does not know this token.', 'Check SHIP_TOKEN.'],
  'session-gone': [
    'not-found',
    'The session is not there any more.',
    'ship ls shows what there is.',
  ],
  'upgrade-client': ['protocol-too-old', 'The server is newer than this client.', 'Update Ship.'],
  closed: ['unavailable', 'It was closed.', 'Try again.'],
};

/** Folds a session's log as it comes until a condition holds; undefined when it was given up before. */
export function follow(options: FollowOptions): Promise<Followed | undefined> {
  const { client, sessionId, reporter, until, signal } = options;
  let state: SessionState | undefined;
  const seen: Seen = { outcome: undefined, turnMs: null };
  const startedAt = new Map<string, number>();
  return new Promise((resolve, reject) => {
    const onEvents = (events: DurableEnvelope[]) => {
      for (const envelope of events) {
        state = evolve(state, envelope);
        remember(envelope, seen, startedAt);
      }
      reporter.events(events, state);
    };
    // Only once it is up to date: a session that was done before has work again in a later page.
    const check = () => {
      if (state !== undefined && until?.(state) === true && isLive) finish({ state, seen });
    };
    let isLive = false;
    const onStatus = (status: WatchStatus) => {
      isLive = status.status === 'live';
      reporter.connection(status);
      if (status.status === 'ended' && status.reason !== 'closed')
        reject(new ShipFailure(shipError(...END_ERRORS[status.reason])));
      check();
    };
    const watch = client.watch(sessionId, {
      onEvents: (events) => {
        onEvents(events);
        check();
      },
      onStatus,
    });
    const abort = () => finish(undefined);
    function finish(followed: Followed | undefined) {
      signal?.removeEventListener('abort', abort);
      watch.close();
      resolve(followed);
    }
    signal?.addEventListener('abort', abort, { once: true });
    watch.start();
  });
}

function remember(envelope: DurableEnvelope, seen: Seen, startedAt: Map<string, number>): void {
  const event = knownEvent(envelope);
  // The first attempt: a turn that was tried again took as long as all of them.
  if (event?.type === 'turn.started' && !startedAt.has(event.data.turnId))
    startedAt.set(event.data.turnId, event.at);
  if (event?.type !== 'turn.finished') return;
  const { turnId, outcome } = event.data;
  const start = startedAt.get(turnId);
  seen.outcome = outcome;
  seen.turnMs = start === undefined ? null : event.at - start;
  startedAt.delete(turnId);
}
