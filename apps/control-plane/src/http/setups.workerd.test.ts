import { KeptSetupList, createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../platform/result.ts';
import type { SandboxPort } from '../sandbox/port.ts';
import { testApi } from '../testing/api.ts';
import { newWorkspace } from '../testing/workspace.ts';

const name = `ship-setup-${'0f'.repeat(16)}`;
const setup = {
  name,
  repository: '/srv/app',
  base: '',
  provider: 'local' as const,
  sessionId: createId('ses'),
  key: 'k',
  baseSha: 'a'.repeat(40),
  command: 'npm ci',
  setupMs: 41_000,
  madeAt: 1,
};

const openApi = async (forget: SandboxPort['forget']) => {
  const stub = newWorkspace();
  unwrap(await stub.changeSetups({ kind: 'keep', setup }));
  // The only method that the test calls.
  const port = { forget } as SandboxPort;
  const { call } = testApi({ stub, sandboxes: () => port });
  const list = async () =>
    KeptSetupList.parse(await (await call('GET', '/api/setups')).json()).setups;
  return { call, list };
};

describe('kept setups over HTTP', () => {
  it('[KS9] each is listed with its inputs, and deleted with its files', async () => {
    const forgotten: string[] = [];
    const { call, list } = await openApi(async (setupName) => void forgotten.push(setupName));
    expect(await list()).toMatchObject([setup]);
    expect((await call('DELETE', `/api/setups/${name}`)).status).toBe(200);
    expect(forgotten).toEqual([name]);
    expect(await list()).toEqual([]);
    expect((await call('DELETE', `/api/setups/${name}`)).status).toBe(404);
    expect((await call('DELETE', '/api/setups/base')).status).toBe(400);
  });

  it('[KS9] a failing service is reported, and no session uses the setup anymore', async () => {
    const { call, list } = await openApi(() => Promise.reject(new TypeError('fetch failed')));
    expect((await call('DELETE', `/api/setups/${name}`)).status).toBe(503);
    expect(await list()).toEqual([]);
  });
});
