import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../failure.ts';
import { controlPlaneBindings } from '../host/bindings.ts';
import { DataFolder } from '../host/data-folder.ts';
import { readToken } from './stored-token.ts';
import { signIn, signOut } from './sign-in.ts';

const TOKEN = 'gho_planted0123456789';

/** GitHub's two endpoints of the device flow and its user endpoint on loopback, for the real client. */
class Github {
  server: Server | undefined;
  url = '';
  /** The responses to token requests in turn; the last one repeats. */
  answers: Record<string, string>[] = [];
  code: Record<string, unknown> = {};
  readonly seen: { path: string; body: URLSearchParams | Record<string, string>; auth: string }[] =
    [];

  async start(): Promise<void> {
    this.server = createServer((request, response) => {
      void (async () => {
        const path = request.url ?? '';
        const body = JSON.parse((await textOf(request)) || '{}') as Record<string, string>;
        this.seen.push({ path, body, auth: request.headers.authorization ?? '' });
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(this.#answer(path)));
      })();
    });
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  #answer(path: string): unknown {
    if (path === '/login/device/code') return this.code;
    if (path === '/login/oauth/access_token')
      return this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    return { login: 'ada', id: 1 };
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

describe('signing in to GitHub', () => {
  let data: string;
  let github: Github;
  let said: string;

  beforeEach(async () => {
    data = mkdtempSync(join(tmpdir(), 'ship-sign-in-'));
    github = new Github();
    await github.start();
    github.code = {
      device_code: 'secret-device-code',
      user_code: 'ABCD-1234',
      verification_uri: `${github.url}/login/device`,
      expires_in: 900,
      interval: 0,
    };
    said = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    github.server?.closeAllConnections();
    github.server?.close();
    rmSync(data, { recursive: true, force: true });
  });

  const login = (clientId: string | undefined = 'Iv1.client') =>
    signIn({ clientId, url: github.url, data }, {});
  const refusal = async (): Promise<Failure> => {
    const thrown: unknown = await login().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Failure);
    return thrown as Failure;
  };

  it('[GL1] shows a code, waits for the approval in the browser, and stores the token readable by its owner only', async () => {
    const pending = { error: 'authorization_pending' };
    const given = { access_token: TOKEN, token_type: 'bearer', scope: 'repo' };
    github.answers = [pending, pending, given];
    await login();
    expect(said).toContain('type ABCD-1234 (within 15 min)');
    expect(said).toContain('as ada');
    expect(said).not.toContain(TOKEN);
    expect(github.seen.map(({ path }) => path)).toEqual([
      '/login/device/code',
      '/login/oauth/access_token',
      '/login/oauth/access_token',
      '/login/oauth/access_token',
      '/api/v3/user',
    ]);
    expect(github.seen[0]?.body).toMatchObject({ client_id: 'Iv1.client', scope: 'repo' });
    expect(github.seen.at(-1)?.auth).toBe(`token ${TOKEN}`);
    expect(readToken(data, github.url)).toEqual({ url: github.url, login: 'ada', token: TOKEN });
    expect(statSync(join(data, 'secrets/github.json')).mode & 0o777).toBe(0o600);
  });

  it('[GL2] the server gets the stored token for its GitHub server, unless another one is exported', async () => {
    github.answers = [{ access_token: TOKEN, token_type: 'bearer', scope: 'repo' }];
    await login();
    const folder = DataFolder.open(data);
    const nothing = { sandboxes: undefined, forge: undefined, demoModel: undefined };
    const given = (env: NodeJS.ProcessEnv) =>
      controlPlaneBindings(folder, nothing, env).GITHUB_TOKEN ?? null;
    try {
      expect(given({ GITHUB_URL: github.url })).toBe(TOKEN);
      expect(given({ GITHUB_URL: `${github.url}/` })).toBe(TOKEN);
      expect(given({})).toBeNull();
      expect(given({ GITHUB_URL: github.url, GITHUB_TOKEN: 'other' })).toBe('other');
      expect(given({ GITHUB_URL: github.url, GITHUB_TOKEN: '' })).toBe(TOKEN);
      signOut({ data });
      expect(given({ GITHUB_URL: github.url })).toBeNull();
    } finally {
      folder.close();
    }
  });

  it('[GL3] a denial, an expired code, a wrong App and a wrong server have a remedy, and nothing is stored', async () => {
    const cases = {
      access_denied: 'refused in the browser',
      expired_token: 'expired',
      device_flow_disabled: 'does not allow the device flow',
      incorrect_client_credentials: 'has no OAuth App',
      something_new: 'did not answer like GitHub',
    };
    for (const [error, message] of Object.entries(cases)) {
      github.answers = [{ error, error_description: `quotes ${TOKEN}` }];
      const failure = await refusal();
      expect(failure.message).toContain(message);
      expect(failure.message + failure.remedy).not.toContain(TOKEN);
    }
    await expect(login('')).rejects.toThrow('no OAuth App is configured');
    expect(readToken(data, github.url)).toBeUndefined();
  });

  it('[GL3] a server that never expires the code is not polled forever', async () => {
    github.code['expires_in'] = 0.2;
    github.answers = [{ error: 'authorization_pending' }];
    expect((await refusal()).message).toContain('expired');
  });
});
