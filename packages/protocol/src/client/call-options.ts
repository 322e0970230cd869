import type { SessionQuery } from '../http/session-summary.ts';

export type Signal = { signal?: AbortSignal };
/** An idempotency key, chosen by the client when absent. A caller that stores it before the call can retry after a crash. */
export type Command = Signal & { requestId?: string };

export type SessionListQuery = Partial<Omit<SessionQuery, 'limit'>> & { limit?: number };
