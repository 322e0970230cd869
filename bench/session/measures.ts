import { WebSocket } from 'ws';
import { spread } from '../statistics.ts';
import type { Subject } from './subject.ts';

const CONCURRENCY = 8;

async function appendMany(subject: Subject, count: number, text: () => string): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left > 0) {
        left -= 1;
        await subject.append(text());
      }
    }),
  );
}

let texts = 0;
const uniqueText = () => `text ${(texts += 1)} ${'x'.repeat(200)}`;

/** CPU of the server for one durable append, in microseconds. */
export async function appendCpuMicros(subject: Subject, count: number): Promise<number> {
  await appendMany(subject, Math.ceil(count / 5), uniqueText);
  const beforeMs = subject.cpuMs();
  await appendMany(subject, count, uniqueText);
  return ((subject.cpuMs() - beforeMs) * 1_000) / count;
}

/** Sockets that report the events that they receive. */
async function watch(subject: Subject, count: number, onEvent: (text: string) => void) {
  const url = await subject.socketUrl();
  const sockets = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<WebSocket>((resolve, reject) => {
          const socket = new WebSocket(url, { headers: subject.headers });
          socket.on('error', reject);
          socket.on('message', (data: Buffer) => {
            const text = data.toString();
            if (text.startsWith('{"type":"hello"')) resolve(socket);
            else if (text.startsWith('{"type":"page","events":[{')) onEvent(text);
          });
        }),
    ),
  );
  return () => {
    for (const socket of sockets) socket.close();
  };
}

/** How many events per second reach all watchers when appends come as fast as they can. */
export async function fanOut(subject: Subject, watchers: number, events: number) {
  let delivered = 0;
  // Distinguishes these events from earlier ones, which may still be in flight on a busy machine.
  const mark = `counted ${(texts += 1)} `;
  const { promise: all, resolve: done } = Promise.withResolvers<void>();
  const close = await watch(subject, watchers, (text) => {
    // One message may carry several events.
    delivered += text.split(mark).length - 1;
    if (delivered >= watchers * events) done();
  });
  await appendMany(subject, 5, uniqueText);
  const startMs = performance.now();
  await appendMany(subject, events, () => `${mark}${uniqueText()}`);
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 30_000))]);
  const seconds = (performance.now() - startMs) / 1_000;
  close();
  return {
    deliveriesPerSecond: Math.round(delivered / seconds),
    lost: watchers * events - delivered,
  };
}

/** From the moment a client sends until another one receives, at a moderate pace. */
export async function latency(subject: Subject, watchers: number, events: number) {
  const tookMs: number[] = [];
  const close = await watch(subject, watchers, (text) => {
    const sentAt = Number(/sent (\d+\.\d+) /.exec(text)?.[1]);
    if (!Number.isNaN(sentAt)) tookMs.push(performance.now() - sentAt);
  });
  for (let i = 0; i < events; i++) {
    await subject.append(`sent ${performance.now().toFixed(3)} ${uniqueText()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  close();
  return { ...spread(tookMs), expected: watchers * events };
}
