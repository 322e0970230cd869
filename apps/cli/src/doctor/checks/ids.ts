import { examineIds } from '@ship/sandbox-server';
import type { Finding } from '../examine.ts';

/** With a single user id, a process that escapes its sandbox has all rights of the person who runs Ship. */
export function describeIds({ detail, remedy }: Awaited<ReturnType<typeof examineIds>>): Finding {
  const check = 'sandbox ids';
  return remedy === undefined
    ? { check, verdict: 'pass', detail }
    : { check, verdict: 'warn', detail, remedy };
}

export async function checkIds(): Promise<Finding> {
  return describeIds(await examineIds());
}
