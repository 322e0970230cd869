import type { McpStatus, OpencodeClient } from '@opencode-ai/sdk/v2/client';
import { attempt } from './failure.ts';

const orThrow = { throwOnError: true } as const;
/** The turn does without a slower server; the next one retries it. */
const RETRY_MS = 10_000;

export interface BrokenServer {
  name: string;
  reason: string;
}

/** A hanging server delays the answer for about as long as the request's timeout: by the second request it has been given up. */
export async function brokenServers(client: OpencodeClient): Promise<BrokenServer[]> {
  const read = () => attempt('agent', () => client.mcp.status({}, orThrow));
  const { data } = await read().catch(read);
  return Object.entries(data).flatMap(([name, status]) => {
    const reason = reasonOf(status);
    return reason === null ? [] : [{ name, reason }];
  });
}

export async function retryServers(client: OpencodeClient): Promise<void> {
  const retry = async () => {
    const broken = await brokenServers(client);
    await Promise.all(broken.map(({ name }) => client.mcp.connect({ name })));
  };
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, RETRY_MS);
  try {
    await Promise.race([retry(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(status: McpStatus): string | null {
  switch (status.status) {
    case 'connected':
    case 'disabled':
      return null;
    case 'needs_auth':
      return 'It requires an interactive sign-in: configure a header with a secret instead.';
    default:
      return status.error;
  }
}
