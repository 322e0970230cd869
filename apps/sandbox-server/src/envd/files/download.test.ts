import { once } from 'node:events';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { download } from './download.ts';

it('[SX5] a small file that is constantly rewritten is read without a broken connection', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ship-download-'));
  const path = join(folder, 'count');
  const server = createServer((request, response) => void download(path, request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  await writeFile(path, '0');
  const { port } = server.address() as AddressInfo;
  const isOver = new AbortController();
  const rewriting = (async () => {
    while (!isOver.signal.aborted) {
      await truncate(path);
      await writeFile(path, 'content');
    }
  })();
  const seen = new Set<string>();
  for (let read = 0; read < 400; read++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(answer.status).toBe(200);
    seen.add(await answer.text());
  }
  isOver.abort();
  await rewriting;
  expect([...seen].every((text) => 'content'.startsWith(text))).toBe(true);
  expect(seen.has('content')).toBe(true);
});
