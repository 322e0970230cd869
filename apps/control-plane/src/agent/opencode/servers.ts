import type { McpStatus, OpencodeClient } from '@opencode-ai/sdk/v2/client';
import { attempt } from './failure.ts';

const orThrow = { throwOnError: true } as const;
/** One that takes longer is done without until the next turn. */
const RETRY_MS = 10_000;

export interface BrokenServer {
  name: string;
  reason: string;
}

/** One that hangs keeps the answer back for about as long as we wait for one: the second time it has been given up. */
export async function brokenServers(client: OpencodeClient): Promise<BrokenServer[]> {
  const ask = () => attempt('agent', () => client.mcp.status({}, orThrow));
  const { data } = await ask().catch(ask);
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
      return 'It wants a sign-in, which nobody is there for: give it a header with a secret.';
    default:
      return status.error;
  }
}
