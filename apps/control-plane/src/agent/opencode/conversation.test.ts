import { createOpencodeClient } from '@opencode-ai/sdk/v2/client';
import { ShipFailure } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { exportOf, isConversation } from './conversation.ts';

const SESSION = 'ses_1';
const part = (messageID: string, more: object = {}) => ({
  id: `prt_${messageID}`,
  type: 'text',
  sessionID: SESSION,
  messageID,
  text: 'hi',
  ...more,
});
const message = (id: string, more: object = {}, parts: unknown[] = [part(id)]) => ({
  info: { id, sessionID: SESSION, role: 'user', time: { created: 1 }, ...more },
  parts,
});
const info = { id: SESSION, title: 'A session', version: '1.2.3' };

/** An agent that answers with these messages. */
const exported = (session: unknown, messages: unknown) => {
  const client = createOpencodeClient({
    baseUrl: 'http://agent.test',
    fetch: async (input, init) =>
      Response.json(
        new URL(new Request(input, init).url).pathname.endsWith('/message') ? messages : session,
      ),
  });
  return exportOf(client, SESSION);
};

describe('the conversation of an agent', () => {
  it('[OUT5] is exported with all of its fields', async () => {
    const messages = [message('msg_1'), message('msg_2', { role: 'assistant', cost: 3 })];
    const text = await exported(info, messages);
    expect(JSON.parse(text)).toEqual({ info, messages });
    expect(isConversation(text)).toBe(true);
  });

  it.each<[string, unknown, unknown]>([
    ['the page of another server', { secret: 'of this machine' }, []],
    ['text', 'root:x:0:0', 'root:x:0:0'],
    ['another session', { ...info, id: 'ses_2' }, []],
    ['messages of another session', info, [message('msg_1', { sessionID: 'ses_2' })]],
    ['parts of another session', info, [message('m', {}, [part('m', { sessionID: 'ses_2' })])]],
    ['parts of another message', info, [message('msg_1', {}, [part('msg_2')])]],
    ['a role that there is not', info, [message('msg_1', { role: 'system' })]],
    ['an id that is a path', info, [message('../../etc/passwd')]],
    ['parts without a type', info, [message('m', {}, [part('m', { type: undefined })])]],
    ['too many messages', info, Array.from({ length: 20_001 }, () => ({}))],
    ['too many parts', info, [message('m', {}, Array(5_001).fill(part('m')))]],
  ])('[OUT5] is not %s', async (_, session, messages) => {
    await expect(exported(session, messages)).rejects.toThrow(ShipFailure);
  });

  it('[OUT5] is not saved when it is too long', async () => {
    const long = message('msg_1', {}, [part('msg_1', { text: 'x'.repeat(33 * 1024 * 1024) })]);
    await expect(exported(info, [long])).rejects.toMatchObject({
      error: { code: 'limit-reached' },
    });
    expect(isConversation(JSON.stringify({ info, messages: [long] }))).toBe(false);
  });

  it('[OUT5] an earlier version may have stored anything', () => {
    const foreign = JSON.stringify({ info, messages: [message('msg_1', { sessionID: 'ses_2' })] });
    for (const text of ['', '{', 'null', '[]', '{"info":{"id":"ses_1"}}', foreign])
      expect(isConversation(text)).toBe(false);
  });
});
