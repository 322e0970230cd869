/** Requests that no Ship client sends: none may be accepted. */
import { request as httpRequest } from 'node:http';
import fc from 'fast-check';

export interface Route {
  method: string;
  path: string;
}

export interface FuzzedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

const KEYS =
  'requestId,text,title,prompt,repository,model,after,clearQueue,value,name,location,limits,idle,cardId,column,__proto__'.split(
    ',',
  );
const LATIN1 = /[^\x20-\x7e\xa0-\xff]/g;

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('\u0000', '\ud800', '../..', '%00', '1e999', "'; DROP TABLE events; --"),
);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  text,
  fc.constantFrom(-1, 2 ** 60, Number.MAX_VALUE, null, [], {}, { $ne: null }),
);

/** `ids` exist. Skips changes without a body for them: such a request would be valid. */
export function fuzzedRequest(routes: readonly Route[], ids: Record<string, string>) {
  return fc
    .record({
      route: fc.constantFrom(...routes),
      segment: fc.option(text),
      body: fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 5 }),
      raw: fc.option(fc.oneof(text, fc.constantFrom('{', '[[[[', '"', '{"a":1}{"b":2}'))),
      query: fc.array(
        fc.tuple(fc.constantFrom('after', 'before', 'limit', 'requestId', 'protocol', 'q'), text),
        { maxLength: 3 },
      ),
      header: fc.option(
        fc.tuple(
          fc.constantFrom(
            'content-type',
            'last-event-id',
            'if-match',
            'upgrade',
            'origin',
            'range',
          ),
          text,
        ),
      ),
    })
    .map(({ route, segment, body, raw, query, header }): FuzzedRequest => {
      const isHarmless = route.method === 'GET' || 'requestId' in body;
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        segment === null && isHarmless && !isBare(route)
          ? (ids[name] ?? 'none')
          : encodeURIComponent((segment ?? 'none').toWellFormed()),
      );
      const search = new URLSearchParams(query.map(([key, given]) => [key, given.toWellFormed()]));
      const name = header?.[0] ?? 'x-nothing';
      return {
        method: route.method,
        path: `/api${path}?${search.toString()}`,
        headers: {
          'content-type': 'application/json',
          [name]: (header?.[1] ?? '').toWellFormed().replaceAll(LATIN1, '').trim(),
        },
        // No schema has the last key, so a lucky guess is still invalid.
        body: raw ?? JSON.stringify({ ...body, unknown: 1 }),
      };
    });
}

/** Has an effect without reading a body. */
function isBare({ method, path }: Route): boolean {
  return method === 'DELETE' || /\/sandbox\/|\/pause$/.test(path);
}

export interface Answered {
  status: number;
  text: string;
}

/** Raw HTTP, because `fetch` refuses many of these requests. Reads only the beginning of an event stream. */
export function send(url: string, token: string, fuzzed: FuzzedRequest): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { method, path, headers } = fuzzed;
    const body = Buffer.from(method === 'GET' ? '' : fuzzed.body);
    const sending = httpRequest(`${url}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}`, 'content-length': body.length },
      timeout: 30_000,
    });
    sending.on('response', (answer) => {
      let received = '';
      const status = answer.statusCode ?? 0;
      const done = () => resolve({ status, text: received });
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk;
        if (answer.headers['content-type'] !== 'text/event-stream') return;
        done();
        sending.destroy();
      });
      answer.on('end', done);
      answer.on('error', done);
    });
    sending.on('upgrade', (_, socket) => {
      socket.destroy();
      resolve({ status: 101, text: '' });
    });
    sending.on('timeout', () => sending.destroy(new Error(`no answer to ${method} ${path}`)));
    sending.on('error', reject);
    sending.end(body);
  });
}
