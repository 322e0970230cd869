/**
 * A fake sandbox service and model for tests of the git gateway: the gateway asks the session whether a sandbox is still
 * its own, but uses neither.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SessionId, SessionReceipt, SessionView } from '@ship/protocol';

export interface Holder {
  sessionId: SessionId;
  sandboxId: string;
}

export async function startNominalSandboxes() {
  let made = 0;
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://any').pathname;
    const json = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    request.resume();
    if (path === '/v1/models') return json(200, { data: [{ id: 'demo' }] });
    if (request.method === 'GET')
      return path.endsWith('/sandboxes') ? json(200, []) : json(404, {});
    if (!path.endsWith('/sandboxes')) return void response.writeHead(204).end();
    return json(201, {
      sandboxID: `nominal${++made}`,
      templateID: 'base',
      clientID: 'any',
      envdVersion: '0.5.0',
      envdAccessToken: 'any',
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    bindings: {
      E2B_API_URL: url,
      E2B_SANDBOX_URL: url,
      E2B_API_KEY: 'e2b_0123456789',
      DEMO_MODEL_URL: `${url}/v1`,
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Creates a session and waits until it has its sandbox. */
export async function holderAt(
  planeUrl: string,
  token: string,
  repository = '/srv/code/app',
): Promise<Holder> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ requestId: crypto.randomUUID(), repository });
  const made = await fetch(`${planeUrl}/api/sessions`, { method: 'POST', headers, body });
  const { sessionId } = SessionReceipt.parse(await made.json());
  for (let attempt = 0; attempt < 200; attempt++) {
    const seen = await fetch(`${planeUrl}/api/sessions/${sessionId}`, { headers });
    const { sandbox } = SessionView.parse(await seen.json()).state;
    if ('error' in sandbox) throw new Error(`no sandbox: ${JSON.stringify(sandbox)}`);
    if (sandbox.status === 'running') return { sessionId, sandboxId: sandbox.sandboxId };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the session got no sandbox');
}
