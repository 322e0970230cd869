import { ShipFailure, shipError } from '@ship/protocol';

export const unreachable = (): ShipFailure =>
  new ShipFailure(
    shipError(
      'unreachable',
      'Ship does not answer.',
      'If you stopped it, start it again with npm start.',
    ),
  );

export const timedOut = (timeoutMs: number): ShipFailure =>
  new ShipFailure(
    shipError(
      'timed-out',
      `Ship did not answer within ${timeoutMs / 1000} seconds.`,
      'The machine may be busy. This page keeps trying.',
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
