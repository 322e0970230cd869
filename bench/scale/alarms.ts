/** Many sessions whose alarms are due at the same moment: how soon has each of them run? */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openControlPlane } from '../../apps/control-plane/test/harness.ts';
import { median, round } from '../report.ts';

const CONCURRENCY = 16;
const TIMEOUT_MS = 120_000;

export async function dueAlarms(count: number) {
  // A busy sandbox service: every session retries at its alarm, and none gets a sandbox.
  let isCounting = false;
  const woken = new Set<string>();
  const service = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const session = /ses_[0-9a-z]{26}/.exec(body + (request.url ?? ''))?.[0];
      if (isCounting && session !== undefined) woken.add(session);
      response.writeHead(503, { 'content-type': 'application/json' });
      response.end('{"code":503,"message":"busy"}');
    });
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
  try {
    let left = count;
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        while (left > 0) {
          left -= 1;
          await ship.api.create({ prompt: 'wait' });
        }
      }),
    );
    // All alarms become due while the control plane is down.
    await ship.plane.kill();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    isCounting = true;
    const startMs = performance.now();
    await ship.plane.start();
    // The wait of a user who opens the web app meanwhile.
    const listMs: number[] = [];
    while (woken.size < count && performance.now() - startMs < TIMEOUT_MS) {
      const askedMs = performance.now();
      await ship.api.ask('GET', '/sessions?limit=50');
      listMs.push(performance.now() - askedMs);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const allRunS = round((performance.now() - startMs) / 1_000);
    const cpuMsEach = round(ship.plane.cpuMs() / count);
    const list = { slowestMs: round(Math.max(...listMs)), medianMs: round(median(listMs)) };
    return { sessions: count, woken: woken.size, allRunS, cpuMsEach, list };
  } finally {
    await ship.close();
    service.closeAllConnections();
    service.close();
  }
}
