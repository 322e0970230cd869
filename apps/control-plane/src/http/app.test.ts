import { ErrorBody, Health, type PartHealth, createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { type AppDeps, createApp } from './app.ts';
import type { AccessControl } from './auth/access-control.ts';
import { allowedHosts } from './guard.ts';
import type { HealthSources } from './health.ts';
import { healthRoutes } from './routes/health.ts';

const noAccessControl: AccessControl = {
  verifyToken: async () => null,
  bearerWaitMs: async () => 0,
  grantsOfBrowsers: async () => [],
  signIn: async () => expect.fail('unexpected sign-in'),
  createSignInLink: async () => expect.fail('unexpected sign-in'),
  renewBrowser: async () => undefined,
  signOut: async () => undefined,
};

type Parts = AppDeps & HealthSources;

const FILES: Record<string, string> = {
  '/index.html': '<!doctype html><title>Ship</title>',
  '/assets/app-1a2b.js': 'export {}',
  '/theme.js': '0',
};

const up: PartHealth = {
  name: 'control-plane',
  state: 'up',
  since: new Date(0).toISOString(),
  restarts: 1,
  detail: null,
};

function app(overrides: Partial<Parts> = {}) {
  const sources: HealthSources = {
    version: '1.2.3',
    host: { fetch: async () => Response.json({ parts: [up] }) },
    workspace: () => ({
      identity: async () => ({ workspaceId: createId('wsp'), createdAt: 0, awakeSince: 0 }),
    }),
    ...overrides,
  };
  return createApp({
    auth: { mode: 'local', localToken: 'the-local-token', accessControl: noAccessControl },
    endpoints: healthRoutes(sources),
    modelGateway: { handle: async () => new Response('gateway') },
    hosts: allowedHosts('ship.localhost, localhost,127.0.0.1,[::1]', 'ship-preview.localhost'),
    assets: {
      fetch: async (url) => {
        const body = FILES[new URL(url instanceof Request ? url.url : url).pathname];
        return body === undefined ? new Response('no', { status: 404 }) : new Response(body);
      },
    },
    ...overrides,
  });
}

const known = { headers: { authorization: 'Bearer the-local-token' } };

const get = (path: string, init?: RequestInit, parts?: Partial<Parts>) =>
  app(parts).request(`http://ship.localhost:4400${path}`, init);

describe('GET /api/health', () => {
  it('[HE1] reports the version and every component, probed at that moment', async () => {
    const health = Health.parse(await (await get('/api/health', known)).json());
    expect(health).toMatchObject({ status: 'ok', version: '1.2.3' });
    expect(health.parts.map(({ name, restarts }) => [name, restarts])).toEqual([
      ['control-plane', 1],
      ['storage', 0],
    ]);
  });

  it.each([
    ['the host is silent', { host: { fetch: () => Promise.reject(new Error('refused')) } }, 'host'],
    [
      'the host talks nonsense',
      { host: { fetch: async () => Response.json({ parts: 7 }) } },
      'host',
    ],
    [
      'the storage fails',
      {
        workspace: () => ({
          identity: () => Promise.reject(new Error('disk I/O error /secret/path')),
        }),
      },
      'storage',
    ],
  ] as [string, Partial<Parts>, string][])(
    '[HE2] names the component that is down when %s',
    async (_, parts, name) => {
      const text = await (await get('/api/health', known, parts)).text();
      const health = Health.parse(JSON.parse(text));
      expect(health.status).toBe('degraded');
      expect(health.parts.find((part) => part.name === name)?.state).toBe('down');
      expect(text).not.toContain('secret');
    },
  );

  it('[HE3] tells unauthenticated callers only the overall status', async () => {
    const down = { host: { fetch: () => Promise.reject(new Error('refused')) } };
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { cookie: 'ship_4400=x' }]) {
      expect(await (await get('/api/health', { headers })).json()).toEqual({ status: 'ok' });
      const answer = await get('/api/health', { headers }, down);
      expect(await answer.json()).toEqual({ status: 'degraded' });
    }
  });

  it('has no host component in the cloud', async () => {
    const health = Health.parse(
      await (await get('/api/health', known, { host: undefined })).json(),
    );
    expect(health.parts.map(({ name }) => name)).toEqual(['storage']);
  });
});

describe('web app files', () => {
  it.each(['/', '/sessions/ses_1', '/a/b/c'])(
    '[PG1] %s is index.html, never cached',
    async (path) => {
      const response = await get(path);
      expect(await response.text()).toContain('<title>Ship</title>');
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
    },
  );

  it('[PG2] hashed files are cached forever, others are not', async () => {
    expect((await get('/assets/app-1a2b.js')).headers.get('cache-control')).toContain('immutable');
    expect((await get('/theme.js')).headers.get('cache-control')).toBe('no-cache');
  });

  it('[PG3] a strict policy: nothing inline, nothing foreign, no framing', async () => {
    const policy = (await get('/')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    const frames = 'frame-src http://*.ship-preview.localhost:4400';
    expect(policy).toContain(`${frames};`);
    expect(policy.replace(frames, '')).not.toMatch(/unsafe|\*|http:/);
  });

  it('[PG3] without a preview host, an IP address allows no frames', async () => {
    const ship = app({ hosts: allowedHosts('127.0.0.1') });
    const policy = (await ship.request('http://127.0.0.1:4400/')).headers.get(
      'content-security-policy',
    );
    expect(policy).toContain("frame-src 'none'");
  });

  it.each(['/missing.js', '/x.exe', '/..%2f..%2fetc/passwd.txt', '/assets/', '/.env'])(
    '[PG4] %s serves no file',
    async (path) => {
      const response = await get(path);
      const text = await response.text();
      if (response.status === 200) expect(text).toContain('<title>Ship</title>');
      else expect(ErrorBody.parse(JSON.parse(text)).error.code).toBe('not-found');
    },
  );
});

describe('guards', () => {
  it.each(['evil.example', 'ship.localhost.evil.example', '169.254.169.254'])(
    '[SEC1] refuses the host name %s (DNS rebinding)',
    async (name) => {
      const response = await app().request(`http://${name}:4400/api/health`);
      expect(response.status).toBe(403);
      expect(ErrorBody.parse(await response.json()).error.remedy).toContain(
        'http://ship.localhost:4400',
      );
    },
  );

  it('[SEC2] refuses calls from pages of another origin', async () => {
    const response = await get('/api/health', { headers: { origin: 'http://evil.example' } });
    expect(ErrorBody.parse(await response.json()).error.code).toBe('origin-refused');
    expect(
      (await get('/api/health', { headers: { origin: 'http://ship.localhost:4400' } })).status,
    ).toBe(200);
  });

  it('returns errors in one format', async () => {
    const headers = { authorization: 'Bearer the-local-token' };
    const missing = await get('/api/nothing', { headers });
    expect(ErrorBody.parse(await missing.json()).error.code).toBe('not-found');
    const posted = await get('/page', { method: 'POST' });
    expect(posted.status).toBe(405);
  });

  it('[ER3] an unexpected error exposes no internals to the client', async () => {
    const assets = { fetch: () => Promise.reject(new Error('/home/ada/secret')) };
    const response = await get('/', undefined, { assets });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
  });
});
