import { env } from 'cloudflare:test';
import { ShipFailure } from '@ship/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { type ArtifactStore, artifactStore } from './index.ts';

const MIB = 1024 * 1024;
const bytes = (text: string) => new TextEncoder().encode(text);
const read = async (store: ArtifactStore, key: string) => {
  const found = await store.get(key);
  return found === undefined ? undefined : new Response(found.body).text();
};

/** `count` chunks of 64 KiB, each of one letter; fails after them when told to. */
function streamOf(count: number, failure?: Error): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === count)
        return failure === undefined ? controller.close() : controller.error(failure);
      controller.enqueue(new Uint8Array(64 * 1024).fill(97 + (sent++ % 26)));
    },
  });
}

const RUN = `run-${crypto.randomUUID()}`;
let names = 0;
const fresh = () => `${RUN}/${names++}`;

describe.each([
  ['R2', () => artifactStore(env.ARTIFACTS)],
  ['workerd’s disk service', () => artifactStore(env.ARTIFACTS_ON_DISK)],
])('artifact store on %s', (_, open) => {
  const store = open();
  afterAll(() => store.delete(RUN));

  it('[AT1] gives back what was put, with its type and size', async () => {
    const key = `${fresh()}/turn_1/out.put-1.txt`;
    expect(await store.put(key, bytes('hello'), 'text/plain; charset=utf-8')).toEqual({ size: 5 });
    const found = await store.get(key);
    expect(found).toMatchObject({ contentType: 'text/plain; charset=utf-8', size: 5 });
    expect(await new Response(found?.body).text()).toBe('hello');
    expect(await store.get(`${key}.other`)).toBeUndefined();
  });

  it('[AT1] stores an empty artifact', async () => {
    const key = fresh();
    await store.put(key, new Uint8Array(), 'application/octet-stream');
    expect(await read(store, key)).toBe('');
    await store.put(key, streamOf(0), 'application/octet-stream');
    expect((await store.get(key))?.size).toBe(0);
  });

  it('[AT1] stores a stream of unknown length, also one of many parts', async () => {
    const key = fresh();
    const chunks = (20 * MIB) / (64 * 1024);
    expect(await store.put(key, streamOf(chunks), 'text/plain')).toEqual({ size: 20 * MIB });
    const found = await store.get(key);
    expect(found?.size).toBe(20 * MIB);
    let at = 0;
    for await (const chunk of found?.body ?? []) {
      for (let i = 0; i < chunk.length; i += 8192) {
        expect(chunk[i]).toBe(97 + (Math.floor((at + i) / 65_536) % 26));
      }
      at += chunk.length;
    }
    expect(at).toBe(20 * MIB);
  });

  it('[AT2] a later put replaces; a reader of the old one gets it whole or not at all', async () => {
    const key = fresh();
    await store.put(key, bytes('one'), 'text/plain');
    await store.put(key, bytes('second'), 'text/html');
    expect(await store.get(key)).toMatchObject({ size: 6, contentType: 'text/html' });
    expect(await read(store, key)).toBe('second');
  });

  it.each([1, 200])('[AT2] a stream that fails after %d chunks stores nothing', async (count) => {
    const key = fresh();
    await store.put(key, bytes('before'), 'text/plain');
    const failing = store.put(key, streamOf(count, new Error('cut off')), 'text/plain');
    await expect(failing).rejects.toThrow('cut off');
    expect(await read(store, key)).toBe('before');
    const other = fresh();
    await expect(store.put(other, streamOf(count, new Error('x')), 'text/plain')).rejects.toThrow(
      'x',
    );
    expect(await store.get(other)).toBeUndefined();
  });

  it('[AT2] puts of one key at the same time end with one of them, whole', async () => {
    const key = fresh();
    const texts = Array.from({ length: 8 }, (_unused, i) => String(i).repeat(1000 + i));
    await Promise.all(texts.map((text) => store.put(key, bytes(text), 'text/plain')));
    expect(texts).toContain(await read(store, key));
  });

  it('[AT3] deletes a key and everything below it, and nothing beside it', async () => {
    const root = fresh();
    const keys = [root, `${root}/a`, `${root}/a/b`, `${root}/c.txt`, `${root}2`, `${root}2/a`];
    for (const key of keys) await store.put(key, bytes(key), 'text/plain');
    for (const key of keys) expect(await read(store, key)).toBe(key);
    await store.delete(root);
    await store.delete(root);
    const left = await Promise.all(keys.map((key) => read(store, key)));
    expect(left).toEqual([...Array<undefined>(4).fill(undefined), `${root}2`, `${root}2/a`]);
    await store.put(`${root}/a`, bytes('again'), 'text/plain');
    expect(await read(store, `${root}/a`)).toBe('again');
  });

  it.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    '../../etc/passwd',
    '.hidden',
    'a/.kj-tmp',
    '-rf',
    'a b',
    'a%2fb',
    'a\\b',
    'a?b',
    'a#b',
    'a=',
    'a\n',
    'ä',
    'a'.repeat(129),
    'a/b/c/d/e/f/g/h/i',
  ])('[AT4] refuses the key %j everywhere', async (key) => {
    const refused = expect.objectContaining({
      error: expect.objectContaining({ code: 'invalid-input' }),
    });
    await expect(store.put(key, bytes('x'), 'text/plain')).rejects.toThrow(ShipFailure);
    await expect(store.get(key)).rejects.toEqual(refused);
    await expect(store.delete(key)).rejects.toEqual(refused);
  });

  it('[AT4] refuses a content type that would break a header', async () => {
    for (const type of ['', 'text', 'text/plain\r\nx: y', `text/${'x'.repeat(300)}`]) {
      await expect(store.put('a', bytes('x'), type)).rejects.toThrow(ShipFailure);
    }
  });
});
