import { sessionsQuery } from '../../data/queries.ts';

/** Sessions that wait for a person: questions, failures and work that is ready for review. */
export const needsYouQuery = sessionsQuery({ column: 'needs-you,in-review', limit: 20 });

export const recentQuery = (q: string) => sessionsQuery({ q, limit: 20 });
