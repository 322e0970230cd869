import { type ShipError, shipError } from '@ship/protocol';

/** The same answer for a deleted session and for one with another sandbox: the caller must not learn which. */
export const CAPABILITY_ENDED: { ok: false; error: ShipError } = {
  ok: false,
  error: shipError(
    'unauthenticated',
    'This capability has ended with its session or its sandbox.',
    'Only the sandbox that a session has now may call models for it.',
  ),
};
