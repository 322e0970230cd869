import { Refusal } from '@ship/protocol';
import * as z from 'zod';
import { sandboxFetch } from './client.ts';
import type { SandboxBindings } from './services.ts';

/** The answer of the local sandbox server: beyond E2B's protocol, so no SDK covers it. */
const Refusals = z.object({
  cursor: z.int().nonnegative(),
  // One by one: an entry that a program inside made invalid must not hide the others.
  refusals: z
    .array(z.unknown())
    .transform((found) => found.flatMap((entry) => Refusal.safeParse(entry).data ?? [])),
});
type Refusals = z.infer<typeof Refusals>;

const WAIT_MS = 20_000;
const ANSWER_TIMEOUT_MS = WAIT_MS + 10_000;

/**
 * A long poll for what a sandbox was refused since the cursor: answers at the next refusal, or with none after a while. Without
 * a cursor, returns only the current one. Undefined where the service keeps no such list.
 */
export type RefusalSource = (
  sandboxId: string,
  cursor: number | undefined,
  stop: AbortSignal,
) => Promise<Refusals | undefined>;

export function refusalSource({ E2B_API_URL, E2B_API_KEY }: SandboxBindings): RefusalSource {
  return async (sandboxId, cursor, stop) => {
    if (!E2B_API_URL || !E2B_API_KEY) return undefined;
    const query = cursor === undefined ? '' : `?after=${cursor}&waitMs=${WAIT_MS}`;
    const url = `${E2B_API_URL}/ship/sandboxes/${encodeURIComponent(sandboxId)}/refusals${query}`;
    // The timer ends with the call: one that runs on would keep the session's object awake.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), ANSWER_TIMEOUT_MS);
    try {
      const signal = AbortSignal.any([stop, late.signal]);
      const ask = sandboxFetch({ url: E2B_API_URL, headers: {} }, {});
      const response = await ask(url, { headers: { 'x-api-key': E2B_API_KEY }, signal });
      return response.ok ? Refusals.parse(await response.json()) : undefined;
    } finally {
      clearTimeout(timer);
    }
  };
}
