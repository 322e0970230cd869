import type { OpencodeClient } from '@opencode-ai/sdk/v2/client';
import type { AgentSignal } from '../port.ts';
import { fromEvent } from './translate.ts';
import { WireEvent } from './wire.ts';

/** The server sends at least a heartbeat every 10 s. Silence means that the connection is dead, not that it is idle. */
const SILENCE_MS = 25_000;

/** The event stream until it ends, for any reason: an end is not an error, since the history has what was missed. */
export async function* readSignals(
  client: OpencodeClient,
  signal: AbortSignal,
  onOpen: () => void,
): AsyncGenerator<AgentSignal> {
  const quiet = new AbortController();
  let timer = setTimeout(() => quiet.abort(), SILENCE_MS);
  try {
    const { stream } = await client.global.event({
      signal: AbortSignal.any([signal, quiet.signal]),
      // The SDK's own reconnecting would lose the events in between unnoticed.
      sseMaxRetryAttempts: 1,
    });
    for await (const event of stream) {
      clearTimeout(timer);
      timer = setTimeout(() => quiet.abort(), SILENCE_MS);
      const payload: unknown = event.payload;
      if (typeOf(payload) === 'server.connected') onOpen();
      const parsed = WireEvent.safeParse(payload);
      if (parsed.success) yield* fromEvent(parsed.data);
    }
  } finally {
    clearTimeout(timer);
    quiet.abort();
  }
}

function typeOf(payload: unknown): unknown {
  return typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'type') : undefined;
}
