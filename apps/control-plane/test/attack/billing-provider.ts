/**
 * A worst-case model provider: as soon as it has a request, it bills the whole prompt and all tokens that the request
 * allows, whether or not the client stays, and it fetches every URL in the request, as hosted models do.
 */
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
/** For a text built of short tokens; ordinary text has four. */
const CHARS_PER_TOKEN = 1.2;
const DATA_URL = /data:[^"]*/g;

type Used = { prompt: number; answer: number };

const FIRST_EVENT = {
  chat: () => 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hm"}}]}\n\n',
  messages: ({ prompt }: Used) =>
    `data: {"type":"message_start","message":{"usage":{"input_tokens":${prompt},"output_tokens":1}}}\n\n`,
  responses: () => 'data: {"type":"response.created","response":{"usage":null}}\n\n',
};

type Behaviour = 'silent' | 'first-event' | 'whole';

export class BillingProvider {
  readonly #server: Server;
  readonly #waiting = new Set<ServerResponse>();
  billedMicros = 0;
  requests = 0;
  /** Requests whose client left before they were answered. */
  left = 0;
  bodies: string[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.#serve(Buffer.concat(chunks).toString(), response, request.url));
      response.on('close', () => {
        this.#waiting.delete(response);
        if (!response.writableFinished) this.left += 1;
      });
    });
  }

  static async start(): Promise<BillingProvider> {
    const provider = new BillingProvider();
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #serve(text: string, response: ServerResponse, path = ''): void {
    this.requests += 1;
    this.bodies.push(text);
    const body = JSON.parse(text) as { max_tokens?: number; max_output_tokens?: number };
    const answer = body.max_tokens ?? body.max_output_tokens ?? 0;
    const prompt = Math.ceil(text.replaceAll(DATA_URL, '').length / CHARS_PER_TOKEN);
    this.billedMicros += prompt * PRICE.input + answer * PRICE.output;
    for (const [address] of text.matchAll(/https?:\/\/[^"\\\s]+/g))
      void fetch(address).catch(() => undefined);
    this.#answer(response, behaviourOf(text), protocolOf(path), { prompt, answer });
  }

  #answer(
    response: ServerResponse,
    behaviour: Behaviour,
    protocol: keyof typeof FIRST_EVENT,
    used: Used,
  ): void {
    if (behaviour === 'silent') return void this.#waiting.add(response);
    if (behaviour === 'first-event') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(FIRST_EVENT[protocol](used));
      return void this.#waiting.add(response);
    }
    const usage = { prompt_tokens: used.prompt, completion_tokens: used.answer };
    const counts = { input_tokens: used.prompt, output_tokens: used.answer };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ usage: protocol === 'chat' ? usage : counts }));
  }
}

const behaviourOf = (text: string): Behaviour => {
  if (text.includes('be silent')) return 'silent';
  return text.includes('begin and wait') ? 'first-event' : 'whole';
};

const protocolOf = (path: string): keyof typeof FIRST_EVENT => {
  if (path.endsWith('/messages')) return 'messages';
  return path.endsWith('/responses') ? 'responses' : 'chat';
};
