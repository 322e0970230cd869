import { ShipFailure, shipError } from '@ship/protocol';

export const unreachable = (): ShipFailure =>
  new ShipFailure(
    shipError(
      'unreachable',
      'Ship does not answer.',
      'If you stopped it, start it again with npm start.',
    ),
  );

/** Reads are repeated (query-defaults.ts). A change is not: the server may have made it. */
export const timedOut = (timeoutMs: number, isRead: boolean): ShipFailure =>
  new ShipFailure(
    shipError(
      'timed-out',
      `Ship did not answer within ${timeoutMs / 1000} seconds.`,
      isRead
        ? 'The machine may be busy. This page keeps trying.'
        : 'The machine may be busy. Check whether the change was made before you try again.',
    ),
  );

export const notUnderstood = (status: number): ShipFailure =>
  new ShipFailure(
    shipError(
      'not-understood',
      `The answer was not understood (HTTP ${status}).`,
      'Reload the page: it may be older than the server.',
    ),
  );
