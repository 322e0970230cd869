import type { ContactList } from '@ship/protocol';
import * as z from 'zod';
import { sandboxFetch } from './client.ts';
import type { SandboxBindings } from './services.ts';

const ANSWER_TIMEOUT_MS = 10_000;

/** The answer of the local sandbox server (`/ship`: beyond E2B's protocol, so no SDK covers it). */
const Ledger = z.object({
  entries: z.array(
    z.object({
      host: z.string(),
      port: z.number(),
      serverName: z.string().optional(),
      verdict: z.enum(['allow', 'deny']),
      rule: z.string(),
      firstSeenMs: z.number(),
      lastSeenMs: z.number(),
      connections: z.number(),
      bytesOut: z.number(),
      bytesIn: z.number(),
    }),
  ),
  unnamed: z.object({ allow: z.number(), deny: z.number() }),
});

const NOT_KEPT: ContactList = { isKept: false, contacts: [], unnamed: { allow: 0, deny: 0 } };

/** The hosts that a sandbox contacted. Reading it wakes no sandbox. */
export type SandboxEgressLog = (sandboxId: string | null) => Promise<ContactList>;

export function sandboxEgressLog({ E2B_API_URL, E2B_API_KEY }: SandboxBindings): SandboxEgressLog {
  return async (sandboxId) => {
    if (sandboxId === null || !E2B_API_URL || !E2B_API_KEY) return NOT_KEPT;
    const url = `${E2B_API_URL}/ship/sandboxes/${encodeURIComponent(sandboxId)}/ledger`;
    const ask = sandboxFetch({ url: E2B_API_URL, headers: {} }, { timeoutMs: ANSWER_TIMEOUT_MS });
    const response = await ask(url, { headers: { 'x-api-key': E2B_API_KEY } });
    // A sandbox of another service, or one that was destroyed.
    if (response.status === 404) return NOT_KEPT;
    if (!response.ok)
      throw Object.assign(new Error('the ledger was refused'), { status: response.status });
    const { entries, unnamed } = Ledger.parse(await response.json());
    return {
      isKept: true,
      contacts: entries
        .map(({ firstSeenMs, lastSeenMs, ...rest }) => ({
          ...rest,
          firstSeenAt: Math.round(firstSeenMs),
          lastSeenAt: Math.round(lastSeenMs),
        }))
        .toSorted((a, b) => b.lastSeenAt - a.lastSeenAt),
      unnamed,
    };
  };
}
