import { request } from 'node:http';

import type { Sandbox } from 'e2b';
import { describe, expect, it } from 'vitest';

import { isCloud, until, type Target } from '../target.ts';

const WEB_SERVER = `
const http = require('http'), crypto = require('crypto');
const server = http.createServer((request, response) => {
  let size = 0;
  request.on('data', (chunk) => (size += chunk.length));
  request.on('end', () => response.end(JSON.stringify({ url: request.url, method: request.method, size, host: request.headers.host })));
});
server.on('upgrade', (request, socket) => {
  const accept = crypto.createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  socket.on('data', (frame) => {
    const length = frame[1] & 127, mask = frame.subarray(2, 6);
    if ((frame[0] & 15) !== 1) return socket.end();
    const text = Buffer.from(frame.subarray(6, 6 + length).map((byte, index) => byte ^ mask[index % 4]));
    socket.write(Buffer.concat([Buffer.from([0x81, text.length + 5]), Buffer.from('echo:'), text]));
  });
  socket.on('error', () => {});
});
server.listen(Number(process.argv[2]), '127.0.0.1');
`;

async function startWeb(target: Target, sandbox: Sandbox, port: number): Promise<void> {
  await sandbox.files.write('web.cjs', WEB_SERVER);
  await sandbox.commands.run(`node web.cjs ${port}`, { background: true, timeoutMs: 0 });
  await until(
    'the web server answers',
    async () => (await target.fetchPort(sandbox, port, '/')).status === 200,
  );
}

export function portTests(target: () => Target): void {
  describe('ports', () => {
    it('serves http on any port, with bodies, and reports a closed port', async () => {
      const sandbox = await target().create();
      await startWeb(target(), sandbox, 3000);
      const body = 'x'.repeat(500_000);
      const reply = await target().fetchPort(sandbox, 3000, '/path?q=1', { method: 'POST', body });
      expect(await reply.json()).toMatchObject({ url: '/path?q=1', method: 'POST', size: 500_000 });
      const closed = await target().fetchPort(sandbox, 3999, '/');
      expect(closed.status).toBe(502);
      expect(await closed.json()).toMatchObject({ sandboxId: sandbox.sandboxId, port: 3999 });
      await sandbox.kill();
      const gone = await target().fetchPort(sandbox, 3000, '/');
      expect([gone.status, await gone.json()]).toMatchObject([
        502,
        { message: 'The sandbox was not found' },
      ]);
    });

    it.skipIf(isCloud)('is reachable by host name, whose case is preserved', async () => {
      const sandbox = await target().create();
      await startWeb(target(), sandbox, 3000);
      const host = sandbox.getHost(3000).replace('localhost', 'LocalHost');
      const { local } = target();
      const answer = await new Promise<string>((resolve, reject) => {
        const call = request(
          `${local?.server.sandboxUrl}/named`,
          { headers: { host } },
          (response) => {
            response.on('data', (chunk: Buffer) => resolve(chunk.toString()));
          },
        );
        call.on('error', reject);
        call.end();
      });
      expect(JSON.parse(answer)).toMatchObject({ url: '/named', host });
    });

    it.skipIf(isCloud)('carries web sockets', async () => {
      const sandbox = await target().create();
      await startWeb(target(), sandbox, 3000);
      const headers = { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '3000' };
      const url = `${target().local?.server.sandboxUrl.replace('http', 'ws')}/socket`;
      const socket = new WebSocket(url, { headers });
      await new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve);
        socket.addEventListener('error', reject);
      });
      const message = new Promise((resolve) => {
        socket.addEventListener('message', (event) => resolve(event.data));
      });
      socket.send('ping');
      expect(await message).toBe('echo:ping');
      const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
      await sandbox.kill();
      await closed;
    });

    it('requires a token when traffic is private, and masks the host', async () => {
      const sandbox = await target().create({
        network: { allowPublicTraffic: false, maskRequestHost: 'inner.test:${PORT}' },
      });
      const token = sandbox.trafficAccessToken ?? '';
      await sandbox.files.write('web.cjs', WEB_SERVER);
      await sandbox.commands.run('node web.cjs 3000', { background: true, timeoutMs: 0 });
      const headers = { 'e2b-traffic-access-token': token };
      const reply = await until('the web server answers', async () => {
        const found = await target().fetchPort(sandbox, 3000, '/', { headers });
        return found.status === 200 && found;
      });
      expect(await reply.json()).toMatchObject({ host: 'inner.test:3000' });
      expect((await target().fetchPort(sandbox, 3000, '/')).status).toBe(403);
    });

    it('answers right after a resume', async () => {
      const sandbox = await target().create();
      await startWeb(target(), sandbox, 3000);
      await sandbox.pause();
      expect((await target().fetchPort(sandbox, 3000, '/')).status).toBe(502);
      await sandbox.connect();
      expect((await target().fetchPort(sandbox, 3000, '/')).status).toBe(200);
    });
  });
}
