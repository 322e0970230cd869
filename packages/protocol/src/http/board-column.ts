import * as z from 'zod';

/** From left to right. */
export const BoardColumn = z.enum(['backlog', 'working', 'needs-you', 'in-review', 'done']);
export type BoardColumn = z.infer<typeof BoardColumn>;
