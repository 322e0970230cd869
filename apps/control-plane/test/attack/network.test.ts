/** Tests which destinations the services of workerd.capnp reach, with another Worker in place of Ship's. */
import { mkdtempSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { type Canary, openCanary } from './canary.ts';

const CONFIG = new URL('../../workerd.capnp', import.meta.url);

/** Fetches `?url=` through the service `?of=`, follows redirects, and returns the response. */
const PROBE = `
import { DurableObject } from 'cloudflare:workers';
export class SessionAgent extends DurableObject {}
export class Workspace extends DurableObject {}
export class Reserve extends DurableObject {}
export default {
  async fetch(request, env) {
    const { searchParams } = new URL(request.url);
    const own = { fetch: (...args) => fetch(...args) };
    const service = searchParams.get('of') === 'fetch' ? own : env[searchParams.get('of')];
    try {
      const answer = await service.fetch(searchParams.get('url'), { redirect: 'follow' });
      return new Response(answer.status + ' ' + (await answer.text()));
    } catch (error) {
      return new Response('unreachable: ' + error);
    }
  },
};
`;

describe('the network of the control plane', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ship-network-'));
  let canary: Canary;
  let plane: ControlPlane;
  let sandboxes = '';
  const server = createServer((request, response) => {
    if (request.url === '/redirect') response.writeHead(307, { location: `${canary.url}/secret` });
    response.end('the sandbox server');
  });

  beforeAll(async () => {
    canary = await openCanary();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    sandboxes = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/worker.js'), PROBE);
    writeFileSync(join(folder, 'probe.capnp'), readFileSync(CONFIG));
    plane = await ControlPlane.start(
      folder,
      {
        LOCAL_TOKEN: 'any',
        SECRETS_KEYS: '0123456789abcdef'.repeat(4),
        E2B_API_URL: sandboxes,
        E2B_SANDBOX_URL: sandboxes,
      },
      join(folder, 'probe.capnp'),
    );
  }, 60_000);
  afterAll(async () => {
    await plane.kill();
    server.closeAllConnections();
    server.close();
    canary.close();
    removeFolder(folder);
  });

  const ask = async (of: string, url: string): Promise<string> =>
    (await fetch(`${plane.url}/?of=${of}&url=${encodeURIComponent(url)}`)).text();

  it.each(['SANDBOXES', 'SANDBOX_API'])(
    '[AT-C1f] [OUT2] attack: code in the control plane reaches another port of the host through %s',
    async (of) => {
      expect(await ask(of, sandboxes)).toBe('200 the sandbox server');
      await ask(of, `${canary.url}/secret`);
      await ask(of, `${sandboxes}/redirect`);
      expect(canary.seen).toEqual([]);
    },
  );

  it('[AT-C1g] [OUT3] attack: the control plane’s own fetch reaches a port of the host', async () => {
    expect(await ask('fetch', `${canary.url}/secret`)).toContain('unreachable');
    expect(await ask('FORGE', `${canary.url}/secret`)).toContain('unreachable');
    expect(canary.seen).toEqual([]);
  });

  it('[OUT3] addresses that the operator entered may be on this machine', async () => {
    expect(await ask('OPERATOR_NETWORK', `${sandboxes}/v1`)).toBe('200 the sandbox server');
  });
});
