import { type OpencodeClient, createOpencodeClient } from '@opencode-ai/sdk/v2/client';
import type { PortAddress } from '../../sandbox/port.ts';
import { withBoundedEvents } from './event-size.ts';

const REQUEST_TIMEOUT_MS = 30_000;

/** One `opencode serve`, reached through its official client. */
export class OpencodeServer {
  readonly #address: PortAddress;
  readonly #headers: Record<string, string>;
  readonly client: OpencodeClient;
  /** Requests that last as long as the answer does. */
  readonly streaming: OpencodeClient;

  constructor(address: PortAddress, password: string, folder: string) {
    this.#address = address;
    this.#headers = { ...address.headers, authorization: `Basic ${btoa(`opencode:${password}`)}` };
    const options = { baseUrl: address.url, directory: folder, headers: this.#headers };
    this.client = createOpencodeClient({
      ...options,
      // The SDK waits for ever: a server that died in mid-answer would hold the turn.
      fetch: (input, init) => {
        const request = new Request(input, init);
        const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
        return fetch(new Request(request, { signal: AbortSignal.any([request.signal, timeout]) }));
      },
    });
    this.streaming = createOpencodeClient({
      ...options,
      fetch: async (input, init) => withBoundedEvents(await fetch(input, init)),
    });
  }

  /** The port opens before the server can answer, and a request in between is never answered: `signal` ends the wait. */
  async isHealthy(signal: AbortSignal): Promise<boolean> {
    try {
      const answer = await fetch(new URL('/global/health', this.#address.url), {
        headers: this.#headers,
        signal,
      });
      await answer.body?.cancel();
      return answer.ok;
    } catch {
      return false;
    }
  }
}
