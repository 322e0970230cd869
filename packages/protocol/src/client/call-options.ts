import type { SessionQuery } from '../http/session-summary.ts';

export type Signal = { signal?: AbortSignal };
/** The client chooses the id when it is absent; a caller that stores it before the call can repeat the call after a crash. */
export type Command = Signal & { requestId?: string };

export type SessionListQuery = Partial<Omit<SessionQuery, 'limit'>> & { limit?: number };
