import { ErrorBody } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { mayBelongTo } from '../git/index.ts';
import { unwrap } from '../platform/result.ts';
import { testApi } from '../testing/api.ts';
import { report } from '../testing/workspace.ts';

const secret = 'secret-of-the-webhooks';
const push = JSON.stringify({
  repository: { full_name: 'ada/app' },
  ref: 'refs/heads/ship-x',
  after: 'a'.repeat(40),
  deleted: false,
});

async function signed(body: string, key = secret): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', bytes.encode(key), algorithm, false, [
    'sign',
  ]);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytes.encode(body)));
  return `sha256=${[...mac].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

const deliver = (
  api: ReturnType<typeof testApi>,
  body: string,
  signature: string | null,
  event = 'push',
) =>
  api.ask('/api/hooks/github', {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      ...(signature !== null && { 'x-hub-signature-256': signature }),
    },
  });

describe('webhooks of a forge', () => {
  it('[FO5] a webhook without our signature is refused with the same error, unread', async () => {
    const api = testApi({ hooks: { secret, bindings: {} } });
    const closed = testApi();
    const words = new Set<string>();
    for (const response of [
      await deliver(api, push, null),
      await deliver(api, push, 'sha256=00'),
      await deliver(api, push, await signed(push, 'another secret')),
      await deliver(api, `${push} `, await signed(push)),
      await deliver(closed, push, await signed(push, ' ')),
    ]) {
      expect(response.status).toBe(401);
      words.add(ErrorBody.parse(await response.json()).error.remedy);
    }
    expect([...words]).toEqual([expect.stringContaining('GITHUB_WEBHOOK_SECRET')]);
    const huge = ' '.repeat(5_000_001);
    expect((await deliver(api, huge, 'sha256=00')).status).toBe(413);
  });

  it('[FO5] a signed webhook is accepted, even when no session needs it', async () => {
    const api = testApi({ hooks: { secret, bindings: {} } });
    for (const [body, event] of [
      [push, 'push'],
      ['{}', 'push'],
      ['no json', 'pull_request'],
      ['{"zen":"x"}', 'ping'],
    ] as const)
      expect((await deliver(api, body, await signed(body), event)).status).toBe(204);
  });

  it('[FO5] a webhook reaches the sessions of its branch and repository', async () => {
    const { stub } = testApi();
    const summary = await report(stub, { title: 'one', branch: 'ship-x', repository: '/srv/shop' });
    await report(stub, { title: 'two', branch: 'ship-xy' });
    expect(unwrap(await stub.sessionsOnBranch('ship-x'))).toEqual([
      { sessionId: summary.sessionId, repository: '/srv/shop' },
    ]);
    const bindings = { FORGE_API_URL: 'http://127.0.0.1:9', FORGE_GIT_URL: 'http://127.0.0.1:9/g' };
    const may = (location: string) => mayBelongTo(location, 'ada/App', bindings);
    for (const location of ['https://github.com/Ada/app.git', 'git@github.com:ada/app', '/srv/app'])
      expect([location, may(location)]).toEqual([location, true]);
    for (const location of ['https://github.com/ada/other', 'https://elsewhere.example/ada/app'])
      expect([location, may(location)]).toEqual([location, false]);
  });
});
