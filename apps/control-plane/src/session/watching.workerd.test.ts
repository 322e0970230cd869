import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { CLOSE_CODES, type LiveEvent, PING, PONG, createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import {
  type SessionStub,
  SocketWatcher,
  newSession,
  openStream,
  prompt,
  renameTimes,
  stateOf,
  waitFor,
} from '../testing/session.ts';
import { SessionStore } from './session-store.ts';
import { Watchers } from './watchers.ts';

const upTo = (last: number, from = 1) =>
  Array.from({ length: last - from + 1 }, (_, index) => from + index);
const newestSeq = async (stub: SessionStub) => (await stateOf(stub)).seq;

const piece = (delta: string): LiveEvent => ({
  type: 'part.delta',
  data: { turnId: createId('turn'), partId: 'part', field: 'text', delta },
});

/** Everything that arrives by a response, by socket or stream. */
function textsOf({ webSocket, body }: Response): string[] {
  const heard: string[] = [];
  webSocket?.addEventListener('message', ({ data }) => void heard.push(String(data)));
  webSocket?.accept();
  const reading = body
    ?.pipeThrough(new TextDecoderStream())
    .pipeTo(new WritableStream({ write: (text) => void heard.push(text) }));
  // The watching client ends it.
  reading?.catch(() => undefined);
  return heard;
}

describe('watching a session', () => {
  it('[RT5] a socket gets a hello, pulls the past in pages, then gets new events pushed', async () => {
    const { stub, send, sessionId } = await newSession();
    await renameTimes(stub, 450);
    const seq = await newestSeq(stub);
    const watcher = await SocketWatcher.open(stub, { after: 0 });
    await waitFor(() => watcher.pages.length === 1);
    expect(watcher.messages[0]).toMatchObject({ type: 'hello', sessionId, newestSeq: seq });
    expect(watcher.seqs).toEqual(upTo(200));
    // It has not caught up: new events are not pushed before older ones.
    await send({ type: 'session.rename', title: 'meanwhile' });
    expect(watcher.pages).toHaveLength(1);
    for (let pages = 2; pages <= 3; pages++) {
      watcher.send(JSON.stringify({ type: 'replay', after: watcher.seqs.at(-1) }));
      await waitFor(() => watcher.pages.length === pages);
    }
    await send({ type: 'session.rename', title: 'live' });
    await waitFor(() => watcher.seqs.length === seq + 2);
    expect(watcher.seqs).toEqual(upTo(seq + 2));
  });

  it('[RT6] a page is bounded in size, however long the prompts are, and never empty', async () => {
    const { stub, send } = await newSession();
    for (let i = 0; i < 30; i++)
      await send({ type: 'prompt.enqueue', prompt: prompt('x'.repeat(100_000)) });
    const seq = await newestSeq(stub);
    const watcher = await SocketWatcher.open(stub, { after: 0 });
    await waitFor(() => watcher.pages.length === 1);
    while (watcher.seqs.length < seq) {
      const pages = watcher.pages.length;
      watcher.send(JSON.stringify({ type: 'replay', after: watcher.seqs.at(-1) }));
      await waitFor(() => watcher.pages.length > pages);
    }
    // The session continues meanwhile: there may be more events by now, and none may be missing.
    expect(watcher.seqs).toEqual(upTo(watcher.seqs.length));
    expect(Math.max(...watcher.texts.map(({ length }) => length))).toBeLessThan(1_200_000);
    const stream = await openStream(stub, { after: 0 });
    await waitFor(() => (stream.ids().at(-1) ?? 0) >= seq);
    await stream.close();
  });

  it('[RT7] an invalid message closes the socket, too many close it too; the others stay', async () => {
    const { stub, send } = await newSession();
    const seq = await newestSeq(stub);
    const polite = await SocketWatcher.open(stub, { after: seq });
    for (const nonsense of ['hello', '{}', '{"type":"replay","after":-1}', new ArrayBuffer(3)]) {
      const rude = await SocketWatcher.open(stub);
      rude.send(nonsense);
      await waitFor(() => rude.closed !== undefined);
      expect(rude.closed).toBe(CLOSE_CODES['bad-message']);
    }
    const greedy = await SocketWatcher.open(stub);
    for (let i = 0; i < 220; i++) greedy.send('{"type":"replay","after":0}');
    await waitFor(() => greedy.closed !== undefined);
    expect(greedy.closed).toBe(CLOSE_CODES['slow-down']);
    await send({ type: 'session.rename', title: 'still here' });
    await waitFor(() => polite.seqs.length === 1);
    expect(polite.closed).toBeUndefined();
  });

  it('[RT8] all clients know who watches: new ones at once, the others when it changes', async () => {
    const { stub } = await newSession();
    const ada = await SocketWatcher.open(stub, { after: 0, name: 'ada' });
    await waitFor(() => ada.presence !== undefined);
    const bob = await SocketWatcher.open(stub, { after: 0, name: 'bob' });
    await waitFor(() => bob.presence?.length === 2 && ada.presence?.length === 2);
    expect(ada.presence).toEqual(['ada', 'bob']);
    const told = ada.texts.length;
    const second = await SocketWatcher.open(stub, { after: 0, name: 'bob' });
    const stream = await openStream(stub, { after: 0, name: 'bob' });
    await waitFor(() => second.presence !== undefined && stream.seen.text.includes('presence'));
    // A second tab of one of them changes nothing for the others.
    expect(ada.texts.length).toBe(told);
    await stream.close();
    second.close();
    bob.close();
    await waitFor(() => ada.presence?.length === 1);
  });

  it('[RT9] sockets outlive the object’s hibernation and miss nothing; pings do not wake it', async () => {
    const { stub, send } = await newSession();
    const seq = await newestSeq(stub);
    const watcher = await SocketWatcher.open(stub, { after: seq, name: 'ada' });
    await waitFor(() => watcher.presence !== undefined);
    for (let i = 1; i <= 3; i++) {
      await evictDurableObject(stub);
      watcher.send(PING);
      await waitFor(() => watcher.texts.at(-1) === PONG);
      await send({ type: 'session.rename', title: `after sleep ${i}` });
      await waitFor(() => watcher.seqs.length === i);
    }
    expect(watcher.seqs).toEqual(upTo(seq + 3, seq + 1));
    expect(watcher.closed).toBeUndefined();
  });

  it('[RT10] an event stream has the same content, numbered, and resumes after the last seen event', async () => {
    const { stub, send } = await newSession();
    await renameTimes(stub, 260);
    const seq = await newestSeq(stub);
    const stream = await openStream(stub, { after: 0 });
    await waitFor(() => stream.ids().at(-1) === seq);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.ids()).toEqual([200, seq]);
    await send({ type: 'session.rename', title: 'live' });
    await waitFor(() => stream.ids().at(-1) === seq + 1);
    await stream.close();
    const later = await openStream(stub, { after: seq });
    await waitFor(() => later.ids().length === 1);
    expect(later.ids()).toEqual([seq + 1]);
    await later.close();
  });

  it.each(['socket', 'stream'] as const)(
    '[RT13] a client that connects mid-stream by %s first receives the text so far, then the rest',
    async (kind) => {
      const { stub, sessionId } = await newSession();
      await runInDurableObject(stub, async (_session, ctx) => {
        const watchers = new Watchers(ctx, new SessionStore(ctx.storage, () => undefined));
        const say = (delta: string) => watchers.pushLive([piece(delta)]);
        say('Early ');
        say('text');
        const gone = new AbortController();
        const asked = { kind, after: 0, name: 'ada', credentials: [] };
        const response = watchers.accept(sessionId, asked, gone.signal);
        const heard = textsOf(response);
        await waitFor(() => heard.join('').includes('Early text'));
        say(' yet.');
        await waitFor(() => heard.join('').includes('" yet."'));
        expect(heard.join('').indexOf('"page"')).toBeLessThan(heard.join('').indexOf('Early'));
        gone.abort();
        watchers.endAll();
      });
    },
  );

  it('[SA8] a deleted session disconnects its watchers and is deleted, even if its service has no key any more', async () => {
    const { stub } = await newSession();
    const watcher = await SocketWatcher.open(stub, { after: 0 });
    const stream = await openStream(stub, { after: 0 });
    await waitFor(() => watcher.pages.length > 0 && stream.seen.text !== '');
    await stub.remove('ada');
    await waitFor(() => watcher.closed !== undefined && stream.seen.isOver);
    expect(watcher.closed).toBe(CLOSE_CODES['session-gone']);
    expect(await stub.view()).toMatchObject({ ok: false, error: { code: 'not-found' } });
    await evictDurableObject(stub);
    expect(await stub.view()).toMatchObject({ ok: false, error: { code: 'not-found' } });
    await stub.remove('ada');
  });
});
