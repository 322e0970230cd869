import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, LOCAL_TOKEN, SANDBOX_KEY, openHarness } from './harness.ts';
import { newRequestId, until } from './harness/api.ts';
import { Follower } from './harness/follower.ts';

const PLANTED = {
  prompt: 'planted-prompt-4f1c9',
  title: 'planted-title-88d1a',
  secret: 'planted-secret-c07b3',
  cloudKey: 'e2b_planted-cloud-key-5a2e',
  modelKey: 'sk-planted-model-key-91fd',
  gatewaySecret: 'planted-gateway-secret-0c3a',
  forgeToken: 'planted-forge-token-77ab',
  setToken: 'planted-set-token-19cc',
  url: 'planted-password-e41d',
  sealed: 'planted-sealed-2b6e0',
};

describe('secrets in logs and on disk', { timeout: 120_000 }, () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({
      E2B_CLOUD_API_KEY: PLANTED.cloudKey,
      ANTHROPIC_API_KEY: PLANTED.modelKey,
      OPENAI_API_KEY: PLANTED.modelKey,
      FORGE_TOKEN: PLANTED.forgeToken,
      GITHUB_TOKEN: PLANTED.forgeToken,
      // No server listens there.
      GITHUB_API_URL: 'http://127.0.0.1:9',
    });
  }, 120_000);
  afterAll(() => harness.close(), 60_000);

  it('[LG1] no log line contains a key, token, prompt or secret, even when services fail', async () => {
    const { api, sandboxApi, plane } = harness;
    const { sessionId } = await api.create({ prompt: PLANTED.prompt, title: PLANTED.title });
    const path = `/sessions/${sessionId}`;
    await until(
      () => api.view(sessionId),
      ({ state }) => state.sandbox.status === 'running',
    );
    await api.ask('PUT', '/secrets/KEY', { value: PLANTED.secret });
    await api.ask('PUT', '/forges/github/token', { token: PLANTED.setToken });
    await api.ask('POST', '/forges/github/check', {});

    // Secrets in the wrong places.
    await api.call('POST', '/sessions', { requestId: PLANTED.secret, repository: PLANTED.secret });
    await api.call('POST', '/sessions', {
      requestId: newRequestId(),
      repository: `https://user:${PLANTED.url}@forge.example/a`,
    });
    await api.call('PATCH', path, { requestId: newRequestId(), title: { deep: PLANTED.secret } });
    await api.call('GET', `/sessions/${PLANTED.secret}?token=${PLANTED.secret}`);
    await fetch(`${plane.url}/api/sessions`, {
      headers: { authorization: `Bearer ${PLANTED.secret}`, cookie: `ship=${PLANTED.secret}` },
    });
    const socket = new WebSocket(`${plane.url.replace('http', 'ws')}/api${path}/socket`, {
      headers: { authorization: `Bearer ${LOCAL_TOKEN}` },
    } as never);
    socket.addEventListener('open', () => socket.send(PLANTED.secret));
    await until(
      () => socket.readyState,
      (state) => state === WebSocket.CLOSED,
    );

    // Failures of the sandbox service.
    for (const status of [401, 500, 429, 404] as const) {
      sandboxApi.fault = { match: /./, status };
      await api.call('GET', `${path}/sandbox`);
      await api.call('POST', `${path}/sandbox/pause`, {});
      await api.create({ prompt: PLANTED.prompt });
    }
    await sandboxApi.stop();
    await api.create({ prompt: PLANTED.prompt });
    await api.settings({ sandboxProvider: 'local' });
    await sandboxApi.start();
    sandboxApi.fault = undefined;
    const follower = new Follower({ url: plane.url, token: LOCAL_TOKEN, sessionId }, 'stream');
    await plane.restart();
    await api.prompt(sessionId, PLANTED.prompt);
    await until(
      () => follower.state?.queue.length,
      (count) => count === 2,
    );
    await follower.close();
    await api.call('DELETE', path);

    expect(plane.output).toContain('sandbox.step-failed');
    for (const text of [...Object.values(PLANTED), SANDBOX_KEY, LOCAL_TOKEN])
      expect(plane.output).not.toContain(text);
    expect(plane.output).not.toContain('0123456789abcdef'.repeat(4));
  });

  it('[LG2] every line is JSON with an event, a level and a time', () => {
    const lines = harness.plane.output
      .split('\n')
      // workerd's own warnings about an alarm that is set again as it fires are harmless and cannot be switched off.
      .filter(
        (line) => line !== '' && !/NOSENTRY SQLite alarm (overdue|handler canceled)/.test(line),
      );
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/^\{/);
      const fields = JSON.parse(line) as Record<string, unknown>;
      expect(fields).toMatchObject({
        level: expect.stringMatching(/^(info|warn|error)$/) as string,
        event: expect.any(String) as string,
        at: expect.any(Number) as number,
      });
    }
  });

  it('[LG3] the database files contain no secret', async () => {
    await harness.api.ask('PUT', '/secrets/OTHER', { value: PLANTED.sealed });
    const folder = harness.plane.objectsFolder;
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    const contents = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name)));
    expect(contents.some((bytes) => bytes.includes(PLANTED.prompt))).toBe(true);
    for (const sealed of [PLANTED.sealed, PLANTED.setToken])
      expect(contents.some((bytes) => bytes.includes(sealed))).toBe(false);
  });
});
