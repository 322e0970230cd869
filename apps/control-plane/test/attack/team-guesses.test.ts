/** Guesses, floods and forged webhook deliveries from outside a deployment. */
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { askRaw } from '../harness/raw-http.ts';
import { type Member, OWNER_TOKEN, Team } from '../harness/team.ts';

const MINUTE_MS = 60_000;
const HOOK_SECRET = 'of-the-webhooks'.padEnd(40, '2');
const GUESSES = 30;

let team: Team;
let ada: Member;
beforeAll(async () => {
  team = await Team.open({ GITHUB_WEBHOOK_SECRET: HOOK_SECRET });
  ada = await team.member('Ada');
}, MINUTE_MS);
afterAll(() => team.close());

/** Headers with which each guess claims another address. */
const elsewhere = (guess: number): Record<string, string> => ({
  'cf-connecting-ip': `192.0.2.${guess}`,
  'x-forwarded-for': `198.51.100.${guess}`,
  'x-real-ip': `203.0.113.${guess}`,
  'true-client-ip': `203.0.113.${guess}`,
  forwarded: `for=198.51.100.${guess}`,
});

describe('guesses and floods at a deployment', { timeout: MINUTE_MS }, () => {
  it('[AT-T05] attack: guesses tokens without limit, from an address that it makes up for each', async () => {
    const one = await Team.open();
    onTestFinished(() => one.close());
    const statuses: number[] = [];
    for (let guess = 0; guess < GUESSES; guess += 1) {
      const authorization = `Bearer owner-guess-${guess}`;
      const headers = { authorization, ...elsewhere(guess) };
      statuses.push((await one.ask({ path: '/api/me', headers })).status);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    const signIns: number[] = [];
    for (let guess = 0; guess < GUESSES; guess += 1)
      signIns.push((await one.signIn({ token: `ship_guess-${guess}` }, elsewhere(guess))).status);
    expect(signIns.filter((status) => status === 401)).toHaveLength(10);
    // Health is public, and must not reveal whether a guess was right.
    const headers = { authorization: `Bearer ${OWNER_TOKEN}`, ...elsewhere(99) };
    const health = await one.ask({ path: '/api/health', headers });
    expect(Object.keys(JSON.parse(health.text) as object)).toEqual(['status']);
  });

  it('[AT-T06] attack: takes the server down, or makes it talk, with oversized and broken requests', async () => {
    const huge = 'x'.repeat(8 * 1024 * 1024);
    const json = { 'content-type': 'application/json', origin: team.origin };
    const broken = [
      { path: '/api/sign-in', method: 'POST', headers: json, body: `{"token":"${huge}"}` },
      { path: '/api/sign-in', method: 'POST', headers: json, body: '{"token":' },
      { path: '/api/sign-in', method: 'POST', headers: json, body: '[]' },
      {
        path: '/api/sign-in',
        method: 'POST',
        headers: json,
        body: '{"__proto__":{"kind":"owner"}}',
      },
      { path: '/api/sign-in', method: 'POST', headers: json, body: '['.repeat(100_000) },
      { path: `/api/${'a'.repeat(12_000)}` },
      { path: '/api/tokens', headers: { cookie: `a=${'b'.repeat(12_000)}` } },
      { path: '/api/tokens', headers: { authorization: `Bearer ${'b'.repeat(12_000)}` } },
      {
        path: '/api/hooks/github',
        method: 'POST',
        headers: { 'x-hub-signature-256': 'sha256=' },
        body: huge,
      },
    ];
    for (const request of broken) {
      const answer = await team.ask(request).catch(() => undefined);
      // Closing the connection on an oversized request is fine too.
      if (answer === undefined) continue;
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.text.length).toBeLessThan(20_000);
      expect(answer.text).not.toMatch(/worker\.js|\bat \S+:\d+|SQLITE|bbbb/);
    }
    for (const bytes of [
      'GET /api/tokens HTTP/1.1\r\n\r\n',
      '\r\n\r\n',
      '\0\0\0',
      'GET /\r\nHost: a\r\n\r\n',
    ])
      await sendBytes(team.plane.port, bytes);
    expect((await ada.api.call('GET', '/me')).status).toBe(200);
  });

  it('[AT-T07] attack: gets a forged webhook delivery accepted', async () => {
    const body = JSON.stringify({ ref: 'refs/heads/main', repository: { full_name: 'ada/app' } });
    const sign = (secret: string) =>
      `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const deliver = (signature: string | undefined, port = team.plane.port) =>
      askRaw(port, {
        method: 'POST',
        path: '/api/hooks/github',
        headers: {
          host: `ship.localhost:${port}`,
          'x-github-event': 'push',
          'content-type': 'application/json',
          ...(signature !== undefined && { 'x-hub-signature-256': signature }),
        },
        body,
      });
    const right = sign(HOOK_SECRET);
    const forged = [
      undefined,
      '',
      'sha256=',
      sign(''),
      sign('null'),
      right.slice(0, -1),
      `${right}0`,
    ];
    for (const signature of [...forged, right.replace('sha256', 'sha1'), sign(OWNER_TOKEN)])
      expect([String(signature), (await deliver(signature)).status]).toEqual([
        String(signature),
        401,
      ]);
    expect((await deliver(right)).status).toBe(204);
    // Without a secret no signature is valid, not even that of the empty secret.
    const bare = await Team.open();
    onTestFinished(() => bare.close());
    for (const signature of [sign(''), sign('null'), sign('undefined')])
      expect((await deliver(signature, bare.plane.port)).status).toBe(401);
  });
});

/** Returns the response, until the server closes or a second has passed. */
async function sendBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.setTimeout(1_000, () => socket.destroy());
  socket.end(bytes);
  return text(socket).catch(() => '');
}
