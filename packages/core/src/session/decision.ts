import { type SessionEvent, type ShipError, shipError } from '@ship/protocol';
import type { RetryPolicy } from '../retry/policy.ts';

export type Decision =
  | { kind: 'events'; events: SessionEvent[] }
  | { kind: 'rejected'; error: ShipError };

export interface Rules {
  retry: RetryPolicy;
}

export function accept(...events: SessionEvent[]): Decision {
  return { kind: 'events', events };
}

export function reject(...args: Parameters<typeof shipError>): Decision {
  return { kind: 'rejected', error: shipError(...args) };
}
