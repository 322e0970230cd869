import { ShipFailure, shipError } from '@ship/protocol';

export const unreachable = (): ShipFailure =>
  new ShipFailure(
    shipError(
      'unreachable',
      'Can’t reach Ship.',
      'If you stopped it, start it again with npm start.',
    ),
  );

/** Reads are retried (query-defaults.ts). Writes are not: the server may already have applied the change. */
export const timedOut = (timeoutMs: number, isRead: boolean): ShipFailure =>
  new ShipFailure(
    shipError(
      'timed-out',
      `Ship did not answer within ${timeoutMs / 1000} seconds.`,
      isRead
        ? 'The machine may be busy. Retrying automatically.'
        : 'The machine may be busy. Check whether the change was made before you retry.',
    ),
  );

export const notUnderstood = (status: number): ShipFailure =>
  new ShipFailure(
    shipError(
      'not-understood',
      `Unexpected answer from the server (HTTP ${status}).`,
      'Reload the page; it may be out of date.',
    ),
  );
