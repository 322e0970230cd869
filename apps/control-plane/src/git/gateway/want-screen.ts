import { FLUSH, joined, packet, parseLength } from './pkt-line.ts';

/** The longest packet that git writes. */
const MAX_PACKET_BYTES = 65_520;
const WANT = /^want ([0-9a-f]{40}(?:[0-9a-f]{24})?)(?:[\s\0]|$)/i;
const LS_REFS = /^command=ls-refs\s*$/;
/** Reads a file by its hash, at the forge, to decide what else to send. */
const FILTER_BY_OBJECT = /^filter .*sparse:oid/;

export class FetchRefused extends Error {}

/**
 * Checks the requests of `git fetch` as they pass. A forge gives any object to a client that knows its hash (always in version
 * 2 of the protocol), checkpoints of other sessions included. Here a session gets only what a list of refs shows it. Every line
 * is checked before it is forwarded, so a refused one never reaches the forge.
 */
export class WantScreen {
  readonly #mayWant: (object: string) => Promise<boolean>;
  #rest: Uint8Array = new Uint8Array(0);
  /** The answer will be a list of refs. */
  isLsRefs = false;

  constructor(mayWant: (object: string) => Promise<boolean>) {
    this.#mayWant = mayWant;
  }

  /** The complete lines so far. */
  async feed(chunk: Uint8Array): Promise<Uint8Array> {
    const bytes = joined([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= 4) {
      const length = parseLength(bytes, at);
      // Strict: a server that reads a length differently would see other lines than these.
      if (length === undefined || length === 3 || length > MAX_PACKET_BYTES)
        throw new FetchRefused('Ship: this request is not understood');
      const end = at + Math.max(4, length);
      if (end > bytes.length) break;
      await this.#check(bytes.subarray(at + 4, end));
      at = end;
    }
    this.#rest = bytes.slice(at);
    return bytes.subarray(0, at);
  }

  /** At the end: an incomplete line is never forwarded. */
  end(): void {
    if (this.#rest.length > 0) throw new FetchRefused('Ship: this request is not understood');
  }

  async #check(content: Uint8Array): Promise<void> {
    const line = new TextDecoder('latin1').decode(content.subarray(0, 200));
    if (LS_REFS.test(line)) this.isLsRefs = true;
    if (FILTER_BY_OBJECT.test(line)) throw new FetchRefused('Ship: this filter is not accepted');
    if (!line.startsWith('want ')) return;
    const object = WANT.exec(line)?.[1]?.toLowerCase();
    if (object === undefined) throw new FetchRefused('Ship: this request is not understood');
    if (!(await this.#mayWant(object)))
      throw new FetchRefused(
        `Ship: ${object} is not the tip of a branch or a tag; fetch the branch that has it`,
      );
  }
}

/** As a protocol error, which every version of git shows as `fatal: remote error: …`. */
export function refusedFetch({ message }: FetchRefused): Response {
  return new Response(joined([packet(`ERR ${message}\n`), FLUSH]), {
    headers: {
      'content-type': 'application/x-git-upload-pack-result',
      'cache-control': 'no-store',
    },
  });
}
