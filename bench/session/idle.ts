/** Memory of many sessions, each with an idle socket, after each has contacted its sandbox service. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { LOCAL_TOKEN, openControlPlane } from '../../apps/control-plane/test/harness.ts';
import { round } from '../report.ts';

const CONCURRENCY = 10;
/** workerd evicts an object some 10 s after its last request. */
const SETTLE_MS = 40_000;

export async function idleSessions(count: number) {
  // A service that refuses: every session calls it through the SDK, and none gets a sandbox.
  const service = createServer((request, response) => {
    request.resume();
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"code":401,"message":"no"}');
  });
  const url = await new Promise<string>((resolve) =>
    service.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(service.address() as AddressInfo).port}`),
    ),
  );
  const ship = await openControlPlane({
    E2B_API_URL: url,
    E2B_SANDBOX_URL: url,
    E2B_API_KEY: 'e2b_bench-key-0123',
  });
  const sockets: WebSocket[] = [];
  try {
    const emptyMb = ship.plane.memoryMb();
    let left = count;
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        while (left > 0) {
          left -= 1;
          const { sessionId } = await ship.api.create({ prompt: 'wait' });
          sockets.push(await openSocket(ship.plane.url, sessionId));
        }
      }),
    );
    const busyMb = ship.plane.memoryMb();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const idleMb = ship.plane.memoryMb();
    const open = sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
    return {
      sessions: count,
      open,
      emptyMb: round(emptyMb),
      busyMb: round(busyMb),
      idleMb: round(idleMb),
    };
  } finally {
    for (const socket of sockets) socket.terminate();
    await ship.close();
    service.close();
  }
}

function openSocket(url: string, sessionId: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const address = `${url.replace('http', 'ws')}/api/sessions/${sessionId}/socket?after=0`;
    const socket = new WebSocket(address, {
      headers: { authorization: `Bearer ${LOCAL_TOKEN}` },
    });
    socket.once('message', () => resolve(socket));
    socket.once('error', reject);
  });
}
