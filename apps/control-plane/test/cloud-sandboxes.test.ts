import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SessionId, createId } from '@ship/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { E2bSandboxes } from '../src/sandbox/e2b.ts';
import { defaultProvider } from '../src/sandbox/services.ts';

it('[DP7] E2B is the default only where there are no local sandboxes and there is a key', () => {
  const key = { E2B_CLOUD_API_KEY: 'e2b_key' };
  expect(defaultProvider(key)).toBe('e2b');
  expect(defaultProvider({ ...key, E2B_API_URL: 'http://127.0.0.1:1' })).toBe('local');
  expect(defaultProvider({ E2B_CLOUD_API_KEY: null })).toBe('local');
});

it('[NW2] requests to E2B’s cloud name Ship’s template and the same rules, with Ship’s gateways among the hosts', async () => {
  let requestBody = '';
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (requestBody += chunk.toString()));
    request.on('end', () => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"code":401,"message":"no"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = { apiKey: 'e2b_0123456789', apiUrl };
  const sandboxes = new E2bSandboxes(connection, 'ship', ['ship.example.com']);
  const sessionId = SessionId.parse(createId('ses'));
  const request = { sessionId, template: 'base', timeoutMs: 1_000, env: {}, egress: [] };
  await expect(sandboxes.create(request)).rejects.toThrow();
  expect(JSON.parse(requestBody)).toMatchObject({ templateID: 'ship' });
  expect(JSON.parse(requestBody)).not.toHaveProperty('network.denyOut');
  requestBody = '';
  await expect(sandboxes.create({ ...request, egress: ['mine.test'] })).rejects.toThrow();
  // Without Ship's gateways no agent could work.
  expect(JSON.parse(requestBody)).toMatchObject({
    network: { allowOut: ['mine.test', 'ship.example.com'], denyOut: ['0.0.0.0/0'] },
  });
});
