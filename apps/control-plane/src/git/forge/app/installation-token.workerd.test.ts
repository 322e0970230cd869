import { beforeAll, describe, expect, it } from 'vitest';
import { connectForge } from '../github.ts';
import { MovedRepositories } from '../../gateway/moved.ts';
import { callForge } from '../../gateway/upstream.ts';
import { forgeAddress } from '../address.ts';

/** The prefix of PKCS#8, for a key of 2048 bits. */
const PREFIX_BYTES = 26;
const HOUR_MS = 3_600_000;

/** A key as GitHub issues it; WebCrypto cannot export that format. */
async function pkcs1Key(): Promise<string> {
  const pair = (await crypto.subtle.generateKey(
    {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-256',
    },
    true,
    ['sign', 'verify'],
  )) as CryptoKeyPair;
  const der = (await crypto.subtle.exportKey('pkcs8', pair.privateKey)) as ArrayBuffer;
  const base64 = btoa(String.fromCharCode(...new Uint8Array(der).subarray(PREFIX_BYTES)));
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN RSA PRIVATE KEY-----', ...lines, '-----END RSA PRIVATE KEY-----'].join('\n');
}

interface Grant {
  lastsMs?: number;
  permissions?: Record<string, string>;
  status?: number;
}

/** GitHub as far as an App is concerned; what it answers is proven against real servers in `test/git`. */
function github({ lastsMs = HOUR_MS, permissions, status = 201 }: Grant = {}) {
  const seen: { call: string; authorization: string; body: string }[] = [];
  let made = 0;
  const fetcher = (async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const authorization = request.headers.get('authorization') ?? '';
    seen.push({ call: `${request.method} ${pathname}`, authorization, body: await request.text() });
    if (pathname.endsWith('/installation')) return Response.json({ id: 5 });
    if (pathname.endsWith('/access_tokens'))
      return Response.json(
        {
          token: `ghs_${++made}`,
          expires_at: new Date(Date.now() + lastsMs).toISOString(),
          permissions: permissions ?? { contents: 'write', pull_requests: 'write' },
        },
        { status },
      );
    const full_name = pathname.replace('/repos/', '');
    return Response.json({ full_name, default_branch: 'main', archived: false, size: 1 });
  }) as typeof fetch;
  const tokens = () => seen.filter(({ call }) => call.endsWith('/access_tokens'));
  return { seen, fetcher, tokens };
}

const upstream = (fetcher: typeof fetch) => ({
  fetcher,
  moved: new MovedRepositories(Date.now),
});

describe('a GitHub App in workerd', () => {
  let key: string;
  let repositories = 0;
  beforeAll(async () => {
    key = await pkcs1Key();
  });

  const bindings = () => ({
    GITHUB_APP_ID: '77',
    // As variables often contain it.
    GITHUB_APP_PRIVATE_KEY: key.replaceAll('\n', '\\n'),
  });
  const connected = (fetcher: typeof fetch) =>
    connectForge(`https://github.com/ada/app-${++repositories}`, bindings(), fetcher);

  it('[GA1] signs with the key as GitHub issues it, and requests a token for the one repository', async () => {
    const { seen, fetcher, tokens } = github();
    const forge = await connected(fetcher);
    await forge.repository();
    await forge.repository();
    expect(tokens()).toHaveLength(1);
    expect(tokens()[0]?.body).toBe(JSON.stringify({ repositories: [forge.name] }));
    expect(tokens()[0]?.authorization).toMatch(/^bearer eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(seen.at(-1)?.authorization).toBe('token ghs_1');
  });

  it('[GA3] an expiring token is renewed, for the API and for git alike', async () => {
    const { seen, fetcher, tokens } = github({ lastsMs: 4 * 60_000 });
    const forge = await connected(fetcher);
    await forge.repository();
    const address = forgeAddress('github', bindings());
    const call = { method: 'GET' as const, path: '/info/refs', headers: new Headers(), body: null };
    await callForge(address, forge, call, upstream(fetcher));
    expect(tokens()).toHaveLength(2);
    expect(seen.at(-1)?.authorization).toBe(`Basic ${btoa('x-access-token:ghs_2')}`);
  });

  it('[GA2] reports missing rights and a suspended installation with a remedy', async () => {
    const reader = github({ permissions: { contents: 'read', pull_requests: 'write' } });
    await expect((await connected(reader.fetcher)).repository()).rejects.toMatchObject({
      error: { code: 'misconfigured', message: expect.stringContaining('contents') as string },
    });
    const suspended = github({ status: 403 });
    await expect((await connected(suspended.fetcher)).repository()).rejects.toMatchObject({
      error: { code: 'misconfigured', message: expect.stringContaining('suspended') as string },
    });
    const sandboxes = await callForge(
      forgeAddress('github', bindings()),
      { owner: 'ada', name: 'suspended' },
      { method: 'GET', path: '/info/refs', headers: new Headers(), body: null },
      upstream(suspended.fetcher),
    );
    expect([sandboxes.status, await sandboxes.text()]).toEqual([
      502,
      expect.stringContaining('refused Ship’s own credential') as string,
    ]);
  });
});
