import { ErrorBody } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { type ApiDeps } from './api.ts';
import { testApi } from '../testing/api.ts';
import { requestId } from '../testing/workspace.ts';

async function refusal(host: ApiDeps['host']) {
  const api = testApi(host === undefined ? {} : { host });
  const response = await api.call('POST', '/api/demo', { requestId: requestId() });
  const { sessions } = await (await api.call('GET', '/api/sessions')).json<{ sessions: [] }>();
  expect(sessions).toEqual([]);
  return ErrorBody.parse(await response.json()).error;
}

describe('the demo', () => {
  it('[DM2] without a host, it says where to find one', async () => {
    const { code, remedy } = await refusal(undefined);
    expect(code).toBe('not-configured');
    expect(remedy).toContain('npx --no-install ship demo');
  });

  it('[DM2] a host that fails to create the repository leaves no session behind', async () => {
    const answers = [
      async () => new Response('{}', { status: 500 }),
      async () => Response.json({ repository: '' }),
      async () => Promise.reject(new Error('connection refused')),
    ];
    for (const fetch of answers) expect((await refusal({ fetch })).code).toBe('unavailable');
  });
});
