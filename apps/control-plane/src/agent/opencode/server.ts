import { type OpencodeClient, createOpencodeClient } from '@opencode-ai/sdk/v2/client';
import { type SandboxFetch, sandboxFetch } from '../../sandbox/client.ts';
import type { PortAddress } from '../../sandbox/port.ts';

const REQUEST_TIMEOUT_MS = 30_000;
/**
 * The SDK buffers an event until its end, and scans the whole buffer with every chunk. The largest honest events carry a file
 * before and after an edit. A longer one ends the stream; the history has its content.
 */
const MAX_EVENT_BYTES = 4_000_000;

/** One `opencode serve`, through its official client. */
export class OpencodeServer {
  readonly #address: PortAddress;
  readonly #headers: Record<string, string>;
  readonly #fetch: SandboxFetch;
  readonly client: OpencodeClient;
  /** For requests that last as long as their answer. */
  readonly streaming: OpencodeClient;

  constructor(address: PortAddress, password: string, folder: string) {
    this.#address = address;
    this.#headers = { ...address.headers, authorization: `Basic ${btoa(`opencode:${password}`)}` };
    const options = { baseUrl: address.url, directory: folder, headers: this.#headers };
    // The SDK has no timeout: a server that died mid-answer would hold the turn.
    this.#fetch = sandboxFetch(address, { timeoutMs: REQUEST_TIMEOUT_MS });
    this.client = createOpencodeClient({ ...options, fetch: this.#fetch });
    this.streaming = createOpencodeClient({
      ...options,
      fetch: sandboxFetch(address, { isStream: true, maxBytes: MAX_EVENT_BYTES }),
    });
  }

  /** The port opens before the server can answer, and a request in between is never answered: `signal` ends the wait. */
  async isHealthy(signal: AbortSignal): Promise<boolean> {
    try {
      const answer = await this.#fetch(new URL('/global/health', this.#address.url), {
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
