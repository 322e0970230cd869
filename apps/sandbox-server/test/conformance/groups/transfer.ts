import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { isCloud, type Target } from '../target.ts';

const MEGABYTE = 2 ** 20;

/** A stream that is never in memory as a whole. */
function pattern(megabytes: number): { stream: ReadableStream<Uint8Array>; sha256: () => string } {
  const hash = createHash('sha256');
  let left = megabytes;
  const chunk = Buffer.alloc(MEGABYTE, 'ship');
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left === 0) {
        controller.close();
        return;
      }
      left -= 1;
      hash.update(chunk);
      controller.enqueue(new Uint8Array(chunk));
    },
  });
  return { stream, sha256: () => hash.digest('hex') };
}

export function transferTests(target: () => Target): void {
  describe('transfer', () => {
    it('uploads and downloads by signed urls, with and without expiration', async () => {
      const sandbox = await target().create();
      for (const expiration of [{}, { useSignatureExpiration: 60 }]) {
        const form = new FormData();
        form.append('file', new Blob(['by url']), 'ignored-name');
        const up = await fetch(await sandbox.uploadUrl('signed.txt', expiration), {
          method: 'POST',
          body: form,
        });
        expect(up.status).toBe(200);
        const down = await fetch(await sandbox.downloadUrl('signed.txt', expiration));
        expect([down.status, await down.text()]).toEqual([200, 'by url']);
      }
    });

    it('refuses forged, expired and misused signatures', async () => {
      const sandbox = await target().create();
      await sandbox.files.write('secret', 's');
      const url = new URL(await sandbox.downloadUrl('secret', { user: 'user' }));
      for (const [key, value] of [
        ['signature', 'v1_forged'],
        ['path', '/etc/passwd'],
        ['username', 'root'],
      ] as const) {
        const forged = new URL(url);
        forged.searchParams.set(key, value);
        expect((await fetch(forged)).status).toBe(401);
      }
      const posted = await fetch(url, { method: 'POST', body: new FormData() });
      expect(posted.status).toBe(401);
      const expired = await sandbox.downloadUrl('secret', { useSignatureExpiration: -10 });
      expect((await fetch(expired)).status).toBe(401);
    });

    it('compresses both ways on request', async () => {
      const sandbox = await target().create();
      const text = 'squeeze me '.repeat(20_000);
      await sandbox.files.write('gzip.txt', text, { gzip: true });
      expect((await sandbox.files.getInfo('gzip.txt')).size).toBe(text.length);
      expect(await sandbox.files.read('gzip.txt', { gzip: true })).toBe(text);
    });

    it(
      'streams large files both ways and keeps the memory of the server flat',
      { timeout: 120_000 },
      async () => {
        const sandbox = await target().create();
        const megabytes = isCloud ? 20 : 200;
        const { stream, sha256 } = pattern(megabytes);
        const rssBefore = process.memoryUsage().rss;
        let rssPeak = rssBefore;
        const meter = setInterval(
          () => (rssPeak = Math.max(rssPeak, process.memoryUsage().rss)),
          20,
        );
        await sandbox.files.write('large.bin', stream, { useOctetStream: true });
        const expected = sha256();
        const inside = await sandbox.commands.run('sha256sum large.bin | cut -d" " -f1');
        expect(inside.stdout.trim()).toBe(expected);
        const hash = createHash('sha256');
        for await (const chunk of await sandbox.files.read('large.bin', { format: 'stream' }))
          hash.update(chunk);
        clearInterval(meter);
        expect(hash.digest('hex')).toBe(expected);
        // Client and server share this process: even their combined growth stays far below the file's size.
        expect((rssPeak - rssBefore) / MEGABYTE).toBeLessThan(150);
      },
    );
  });
}
