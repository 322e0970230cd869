/** The part of Cloudflare's API that wrangler uses for a deployment, on loopback. It records all requests. */
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Noted {
  method: string;
  path: string;
  body: string;
}

export interface FakeCloudflare {
  url: string;
  noted: Noted[];
  close(): Promise<void>;
}

const ROUTES: [pattern: RegExp, status: number, result: unknown][] = [
  // No Worker of this name yet.
  [/^GET .*\/workers\/scripts\/ship\/secrets$/, 404, { code: 10007, message: 'no such Worker' }],
  [/^GET .*\/workers\/services\/ship$/, 404, { code: 10090, message: 'no such service' }],
  [/^GET .*\/subdomain$/, 200, { subdomain: 'me', enabled: true, previews_enabled: true }],
  [/^POST .*\/assets-upload-session$/, 200, { jwt: 'x', buckets: [] }],
  // E2B: a template of this name exists.
  [/^GET \/templates\/aliases\/ship$/, 200, { templateID: 't', public: false }],
];
const ANYTHING = { id: 'x', deployment_id: 'x', deployments: [], versions: [], bindings: [] };

export async function fakeCloudflare(): Promise<FakeCloudflare> {
  const noted: Noted[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, noted);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    noted,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, noted: Noted[]) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url = '' } = request;
  const path = url.replace(/\?.*$/, '');
  noted.push({ method, path, body: Buffer.concat(chunks).toString('latin1') });
  const [, status, result] = ROUTES.find(([pattern]) => pattern.test(`${method} ${path}`)) ?? [
    undefined,
    200,
    ANYTHING,
  ];
  const isGood = status === 200;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      ...(path.startsWith('/templates') ? (result as object) : {}),
      success: isGood,
      errors: isGood ? [] : [result],
      messages: [],
      result: isGood ? result : null,
    }),
  );
}
