import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TokenCreated, TokenList } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { newSignInCookie, newSignInLink, redeemCode } from '../../../../scripts/testing/sign-in.ts';
import { startRedirect } from '../../src/host/link-redirect.ts';
import {
  type Running,
  end,
  launchShip,
  localToken,
  readHealth,
  ship,
  temporaryFolder,
  untilReady,
} from '../ship.ts';
import { controlPlanePid } from '../endurance/processes.ts';
import { canChangeUser, listenAsStranger, squat, strangerAsks } from './stranger.ts';

const code = (link: string) => link.split('#sign-in=')[1] ?? '';

/** One Ship for all of them. */
describe('another user of the machine', { timeout: 60_000 }, () => {
  let folder: string;
  let port: number;
  let url: string;
  let running: Running;

  beforeAll(async () => {
    folder = await preparedDataFolder();
    port = await freePort();
    url = `http://127.0.0.1:${port}`;
    running = launchShip(['up', '--no-open', '--port', String(port), '--data', folder]);
    await untilReady(running);
  }, 60_000);
  afterAll(async () => {
    await end(running);
    removeFolder(folder);
  }, 60_000);

  const tokens = async () => {
    const headers = { authorization: `Bearer ${localToken(folder)}` };
    const answer = await fetch(`${url}/api/tokens`, { headers });
    return TokenList.parse(await answer.json()).tokens;
  };
  const fromPage = () => [
    '--header',
    'content-type: application/json',
    '--header',
    `origin: ${url}`,
  ];
  /** Gives an attacker permanent access to Ship, and so code execution as its user. */
  const makeToken = (...headers: string[]) =>
    strangerAsks(`${url}/api/tokens`, ...fromPage(), '--data', '{"name":"stolen"}', ...headers);

  it('[AT-C2a1] attack: the owner’s cookie comes with the page, and with it a permanent API token', async () => {
    const paths = ['/', '/index.html', '/settings/tokens', '/sign-in', '/api/sign-in', '/api/me'];
    const cookies: string[] = [];
    for (const path of paths) {
      cookies.push(...(await strangerAsks(`${url}${path}`)).cookies);
      const name = ['--header', `host: ship.localhost:${port}`];
      cookies.push(...(await strangerAsks(`${url}${path}`, ...name)).cookies);
    }
    const made = [];
    for (const cookie of ['', ...cookies])
      made.push(await makeToken('--header', `cookie: ${cookie}`));
    expect(made.map(({ status }) => status)).not.toContain(201);
    expect(await tokens()).toEqual([]);
    expect(cookies).toEqual([]);
  });

  /** Signs in as the web app does with a link. */
  const redeem = (given: string, ...options: string[]) =>
    strangerAsks(
      `${url}/api/sign-in`,
      ...fromPage(),
      '--data',
      JSON.stringify({ code: given }),
      ...options,
    );

  it('[AT-C2a2] attack: a link that the owner used, seen over a shoulder or in a log, signs in once more', async () => {
    const link = await newSignInLink(url, localToken(folder));
    // Fetching the page without running it does not consume the link.
    expect((await strangerAsks(link)).cookies).toEqual([]);
    expect((await redeemCode(url, code(link))).status).toBe(204);
    for (const given of [code(link), '', 'x', code(link).toLowerCase()])
      expect((await redeem(given)).cookies).toEqual([]);
    const asked = await strangerAsks(`${url}/api/sign-in/links`, '--request', 'POST');
    expect([asked.status, asked.text.includes('expiresAt')]).toEqual([401, false]);
  });

  it('[AT-C2a3] attack: codes are guessed at full speed, or guesses keep the owner out', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 14; i += 1)
      statuses.push((await redeem(randomBytes(32).toString('base64url'))).status);
    expect(statuses.at(0)).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    const link = await newSignInLink(url, localToken(folder));
    expect((await redeemCode(url, code(link))).status).toBe(204);
  });

  it('[AT-C2a4] attack: the link is read from the command line that opens the owner’s browser', async () => {
    const link = await newSignInLink(url, localToken(folder));
    const redirect = await startRedirect(link);
    try {
      expect(redirect.url).not.toContain(code(link));
      // Without another user, the test would be the owner and consume the URL.
      if (canChangeUser) {
        const seen = await strangerAsks(redirect.url);
        expect([seen.status, seen.location]).toEqual([404, undefined]);
      }
      const guessed = await fetch(new URL('/', redirect.url), { redirect: 'manual' });
      expect(guessed.headers.get('location')).toBeNull();
      const owner = await fetch(redirect.url, { redirect: 'manual' });
      expect(owner.headers.get('location')).toBe(link);
      await redirect.done;
      await expect(fetch(redirect.url)).rejects.toThrow();
    } finally {
      redirect.close();
    }
  });

  it('[AT-C2a6] [UP15] attack: takes the port while the control plane restarts, and receives the cookie of an open page', async () => {
    const cookie = await newSignInCookie(url, localToken(folder));
    const squatter = await squat(port);
    try {
      for (let round = 0; round < 2; round += 1) {
        const pid = controlPlanePid(folder);
        if (pid === undefined) throw new Error('no control plane');
        process.kill(pid, 'SIGKILL');
        // As the open page does: immediately and repeatedly, with its cookie.
        const headers = { cookie: `${cookie.name}=${cookie.value}`, connection: 'close' };
        await vi.waitFor(
          async () => {
            const answer = await fetch(`${url}/api/settings`, { headers });
            expect(await answer.json()).toHaveProperty('defaultModel');
          },
          { timeout: 30_000, interval: 5 },
        );
      }
      expect(squatter.output()).toBe('trying\n');
    } finally {
      await squatter.close();
    }
  });

  it.runIf(canChangeUser)(
    '[AT-C2a5] attack: while Ship is down another user listens on its port and gets the local token from the CLI',
    async () => {
      const stopped = temporaryFolder();
      const squatted = await freePort();
      mkdirSync(join(stopped, 'secrets'), { recursive: true });
      mkdirSync(join(stopped, 'run'), { recursive: true });
      writeFileSync(join(stopped, 'secrets', 'local-token'), 'planted-local-token');
      const announced = { pid: 1, url: `http://ship.localhost:${squatted}` };
      writeFileSync(join(stopped, 'run', 'host.json'), JSON.stringify(announced));
      const trap = await listenAsStranger(squatted);
      try {
        const asked = [
          ship(['ls', '--data', stopped]),
          ship(['ls', '--data', stopped, '--url', `http://localhost:${squatted}`]),
        ];
        const codes = await Promise.all(asked.map(({ exited }) => exited));
        expect(trap.heard()).not.toContain('planted-local-token');
        expect(codes).toEqual([1, 1]);
        for (const { output } of asked)
          expect(output()).toContain(`port ${squatted} is not Ship's`);
      } finally {
        await trap.close();
      }
    },
  );

  it('[AT-M62] attack: cookies of our name, set by another server on this machine, sign the owner out', async () => {
    const { name, value } = await newSignInCookie(url, localToken(folder));
    const planted = [
      ...Array.from({ length: 60 }, (_, i) => `${name}=planted-${i}`),
      ...Array.from({ length: 12 }, () => `${name}=${randomBytes(32).toString('base64url')}`),
    ];
    const cookie = [...planted, `${name}=${value}`].join('; ');
    expect((await fetch(`${url}/api/settings`, { headers: { cookie } })).status).toBe(200);
  });

  it('[AT-131] attack: bearer tokens are guessed at full speed, or guesses keep the owner’s programs out', async () => {
    const headers = { authorization: `Bearer ${localToken(folder)}` };
    const made = await fetch(`${url}/api/tokens`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"name":"ci"}',
    });
    const { value } = TokenCreated.parse(await made.json());
    const guess = async (path: string) => {
      const guessed = `authorization: Bearer ship_${randomBytes(32).toString('base64url')}`;
      return strangerAsks(`${url}${path}`, '--header', guessed);
    };
    const statuses: number[] = [];
    for (let i = 0; i < 12; i += 1) statuses.push((await guess('/api/settings')).status);
    expect(statuses.at(0)).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    // Health answers everybody: it must not allow guessing.
    expect(JSON.parse((await guess('/api/health')).text)).toEqual({ status: 'ok' });
    for (const known of [headers, { authorization: `Bearer ${value}` }])
      expect((await fetch(`${url}/api/settings`, { headers: known })).status).toBe(200);
  });

  it('[AT-132] attack: a stranger learns from health which version runs, since when, and under which process', async () => {
    const { status, text } = await strangerAsks(`${url}/api/health`);
    expect([status, JSON.parse(text)]).toEqual([200, { status: 'ok' }]);
    expect((await readHealth(port, folder))?.parts.length).toBeGreaterThan(3);
  });
});
