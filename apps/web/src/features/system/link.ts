import type { Health, ShipError } from '@ship/protocol';

/** The page's view of the server: reached just now, or lost with the last known health. */
export type Link = ReachedLink | LostLink;

interface Observation {
  readonly health: Health;
  readonly atMs: number;
}

interface ReachedLink extends Observation {
  readonly kind: 'reached';
}

export interface LostLink {
  readonly kind: 'lost';
  readonly last: Observation | null;
  readonly error: ShipError;
  readonly failures: number;
  readonly triedAtMs: number;
}

export const reached = (health: Health, atMs: number): Link => ({ kind: 'reached', health, atMs });

export const lost = (before: Link | undefined, error: ShipError, triedAtMs: number): Link => ({
  kind: 'lost',
  last: before === undefined ? null : lastSeen(before),
  error,
  failures: before?.kind === 'lost' ? before.failures + 1 : 1,
  triedAtMs,
});

const pollMs = 2000;
const maxPollMs = 15_000;

/** Polls every two seconds while reached; backs off while lost, so that a long outage stays quiet. */
export const nextPollMs = (link: Link | undefined): number =>
  link?.kind === 'lost' ? Math.min(pollMs * 2 ** (link.failures - 1), maxPollMs) : pollMs;

/** The last known health and when it was read. */
export const lastSeen = (link: Link): Observation | null =>
  link.kind === 'reached' ? { health: link.health, atMs: link.atMs } : link.last;

/** Ages use the server's clock: the browser's may be off by minutes. */
export const serverNowMs = (seen: Observation, nowMs: number): number =>
  Date.parse(seen.health.now) + (nowMs - seen.atMs);
