import {
  Attachment,
  ErrorBody,
  MAX_ATTACHED_IMAGE_BYTES,
  MAX_ATTACHED_TEXT_BYTES,
  SessionReceipt,
  SessionView,
} from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { LOCAL_TOKEN, testApi } from '../testing/api.ts';
import { requestId } from '../testing/workspace.ts';

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2]);

const refusal = async (response: Response) => ErrorBody.parse(await response.json()).error;

describe('prompt attachments', () => {
  const api = testApi();

  async function session() {
    const body = { requestId: requestId(), repository: '/srv/app' };
    const made = await api.call('POST', '/api/sessions', body);
    return `/api/sessions/${SessionReceipt.parse(await made.json()).sessionId}`;
  }

  const upload = (path: string, filename: string, body: Uint8Array<ArrayBuffer> | string) =>
    api.ask(`${path}/attachments?filename=${encodeURIComponent(filename)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${LOCAL_TOKEN}`, 'content-type': 'image/svg+xml' },
      body,
    });
  const send = (path: string, attachments: unknown) =>
    api.call('POST', `${path}/prompts`, { requestId: requestId(), text: 'look', attachments });

  it('[CM3] are stored, typed by their bytes, and attached to the prompt', async () => {
    const path = await session();
    const picture = Attachment.parse(await (await upload(path, 'a.txt', PNG)).json());
    const text = Attachment.parse(await (await upload(path, 'b.png', '<svg onload=x>')).json());
    expect([picture.mime, picture.sizeBytes, text.mime]).toEqual(['image/png', 11, 'text/plain']);
    const refs = [picture, text].map(({ name, filename }) => ({ name, filename }));
    expect((await send(path, refs)).status).toBe(201);
    const { state } = SessionView.parse(await (await api.call('GET', path)).json());
    expect(state.queue[0]?.attachments).toEqual([picture, text]);
    const shown = await api.call('GET', `${path}/artifacts/${picture.name}`);
    expect(shown.headers.get('content-type')).toBe('image/png');
    expect(shown.headers.get('content-security-policy')).toContain('sandbox');
    expect(new Uint8Array(await shown.arrayBuffer())).toEqual(PNG);
    // Markup stays text under any name.
    const plain = await api.call('GET', `${path}/artifacts/${text.name}`);
    expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    await plain.body?.cancel();
  });

  it('[CM4] a file that is too large or of another type is refused with a remedy', async () => {
    const path = await session();
    const cases = [
      [new Uint8Array([0, 1, 2, 3]), 'unsupported-media-type'],
      ['a'.repeat(MAX_ATTACHED_TEXT_BYTES + 1), 'too-large'],
      [new Uint8Array(MAX_ATTACHED_IMAGE_BYTES + 1), 'too-large'],
    ] as const;
    for (const [body, code] of cases) {
      const error = await refusal(await upload(path, 'file', body));
      expect(error.code).toBe(code);
      expect(error.remedy).not.toBe('');
    }
    expect((await refusal(await upload(path, 'two\nlines', 'text'))).code).toBe('invalid-input');
    const unknown = `/api/sessions/ses_${'0'.repeat(26)}`;
    expect((await refusal(await upload(unknown, 'a', 'text'))).code).toBe('not-found');
  });

  it('[CM4] a prompt can attach only files of the same session, up to the limit', async () => {
    const [mine, other] = [await session(), await session()];
    const { name } = Attachment.parse(await (await upload(other, 'a', 'text')).json());
    const ref = { name, filename: 'a' };
    expect((await refusal(await send(mine, [ref]))).code).toBe('not-found');
    expect((await send(other, [ref])).status).toBe(201);
    for (const bad of [
      [{ ...ref, name: '../../secret' }],
      [{ ...ref, name: 'conversation.json' }],
      Array.from({ length: 9 }, () => ref),
    ])
      expect((await refusal(await send(other, bad))).code).toBe('invalid-input');
  });
});
