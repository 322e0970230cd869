import { PromptReceipt, SessionReceipt, SessionView } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { testApi } from '../testing/api.ts';
import { requestId } from '../testing/workspace.ts';

describe('prompts over HTTP', () => {
  const api = testApi();
  const ask = async (method: string, path: string, body?: unknown) =>
    (await api.call(method, `/api${path}`, body)).json<unknown>();

  async function session() {
    const body = { requestId: requestId(), repository: '/srv/app', prompt: 'one' };
    const { sessionId } = SessionReceipt.parse(await ask('POST', '/sessions', body));
    const path = `/sessions/${sessionId}`;
    const add = async (text: string, id = requestId()) =>
      PromptReceipt.parse(await ask('POST', `${path}/prompts`, { requestId: id, text }));
    const queue = async () => SessionView.parse(await ask('GET', path)).state.queue;
    const texts = async () => (await queue()).map(({ text }) => text);
    return { path, add, queue, texts };
  }

  it('[SE15] a queued prompt is edited, moved and withdrawn, each idempotently', async () => {
    const { path, add, queue, texts } = await session();
    const two = await add('two');
    const three = await add('three');
    const edit = { requestId: requestId(), text: 'TWO', after: three.promptId };
    const edited = await ask('PATCH', `${path}/prompts/${two.promptId}`, edit);
    expect(await texts()).toEqual(['one', 'three', 'TWO']);
    expect(await ask('PATCH', `${path}/prompts/${two.promptId}`, edit)).toEqual(edited);
    const front = { requestId: requestId(), after: null };
    await ask('PATCH', `${path}/prompts/${three.promptId}`, front);
    expect(await texts()).toEqual(['three', 'one', 'TWO']);
    await ask('PATCH', `${path}/prompts/${three.promptId}`, {
      requestId: requestId(),
      text: 'THREE',
    });
    const id = requestId();
    const removed = await ask('DELETE', `${path}/prompts/${two.promptId}?requestId=${id}`);
    expect(await ask('DELETE', `${path}/prompts/${two.promptId}?requestId=${id}`)).toEqual(removed);
    expect(await texts()).toEqual(['THREE', 'one']);
    expect((await queue())[0]?.author).toBe('local');
  });

  it('[SE15] a prompt that is not queued cannot be changed, and the error has a remedy', async () => {
    const { path, add, texts } = await session();
    const two = await add('two');
    await ask('DELETE', `${path}/prompts/${two.promptId}?requestId=${requestId()}`);
    const answers = [
      await ask('PATCH', `${path}/prompts/${two.promptId}`, { requestId: requestId(), text: 'x' }),
      await ask('PATCH', `${path}/prompts/${two.promptId}`, {
        requestId: requestId(),
        after: null,
      }),
      await ask('DELETE', `${path}/prompts/${two.promptId}?requestId=${requestId()}`),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({ error: { code: 'prompt-not-queued' } });
    expect(await texts()).toEqual(['one']);
  });

  it('[SA2] the same prompt sent twice is queued once, with the same id', async () => {
    const { add, texts } = await session();
    const id = requestId();
    expect(await add('again', id)).toEqual(await add('again', id));
    expect(await texts()).toEqual(['one', 'again']);
  });

  it('[WS19] a repeated creation makes one session; different content under its id is a conflict', async () => {
    const body = { requestId: requestId(), repository: '/srv/app', prompt: 'one' };
    const first = await ask('POST', '/sessions', body);
    expect(await ask('POST', '/sessions', body)).toEqual(first);
    expect(await ask('POST', '/sessions', { ...body, prompt: 'two' })).toMatchObject({
      error: { code: 'request-id-reused' },
    });
  });
});
