import { type ShipError, shipError } from '@ship/protocol';

/** The same for a session that is gone and for one that has another sandbox: whoever asks is not to learn which. */
export const CAPABILITY_ENDED: { ok: false; error: ShipError } = {
  ok: false,
  error: shipError(
    'unauthenticated',
    'This capability has ended with its session or its sandbox.',
    'Only the sandbox that a session has now may call models for it.',
  ),
};
