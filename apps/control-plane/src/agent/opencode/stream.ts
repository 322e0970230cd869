import type { OpencodeClient } from '@opencode-ai/sdk/v2/client';
import type { AgentSignal } from '../port.ts';
import { fromEvent } from './translate.ts';
import { WireEvent } from './wire.ts';

/** It says something every 10 s, if only that it is there. Silence means that the connection is dead, not that it is idle. */
const SILENCE_MS = 25_000;

/** The event stream until it ends, for whatever reason: an end is no error, what was missed is read from the history. */
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
      // Its own way of reconnecting would lose what happens in between and tell nobody.
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
