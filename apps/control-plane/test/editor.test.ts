import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EDITOR_VERSION, SHARED_EDITOR_FOLDER } from '@ship/core';
import { EditorTargetShown, EditorView, type HostEditor, type SessionId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, openHarness } from './harness.ts';
import { until } from './harness/api.ts';

/**
 * Stands in for code-server: its port, the socket that lists its windows, and one window that stores the received
 * message. The port opens last because an open port makes the editor ready.
 */
const STAND_IN = `
const { createServer } = require('node:http');
const port = createServer((_, answer) => answer.end('editor'));
const windows = createServer((_, answer) => answer.end('{"socketPath":"/tmp/window.sock"}'));
const window = createServer((request, response) => {
  request.pipe(require('node:fs').createWriteStream('/tmp/received')).on('finish', () => response.end('{}'));
});
window.listen('/tmp/window.sock', () =>
  windows.listen('data/code-server-ipc.sock', () => port.listen(13337, '127.0.0.1')));
`;

describe('an editor that the machine shares with its sandboxes', { timeout: 120_000 }, () => {
  let harness: Harness;
  let host: Server;
  let folder = '';
  let sessionId: SessionId;
  let sandboxId = '';
  let hostEditor: HostEditor = { state: 'absent' };
  const hostRequests: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ship-shared-'));
    const shared = [{ source: join(folder, 'shared'), target: SHARED_EDITOR_FOLDER }];
    harness = await openHarness({}, { egress: { onlyThese: true }, shared });
    host = createServer(({ method, url }, answer) => {
      hostRequests.push(`${method} ${url}`);
      answer.end(JSON.stringify(hostEditor));
    });
    const socket = join(harness.plane.objectsFolder, '..', 'run', 'host.sock');
    await new Promise<void>((resolve) => host.listen(socket, resolve));
    ({ sessionId } = await harness.api.create());
    const sandbox = await until(
      async () => (await harness.api.view(sessionId)).state.sandbox,
      ({ status }) => status === 'running',
    );
    sandboxId = 'sandboxId' in sandbox ? sandbox.sandboxId : '';
  }, 120_000);
  afterAll(async () => {
    host.close();
    host.closeAllConnections();
    await harness.close();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const editor = async (method: 'GET' | 'POST') =>
    EditorView.parse(await harness.api.ask(method, `/sessions/${sessionId}/editor`));
  const show = async (path: string) => {
    const body = { path, line: 7 };
    const answer = await harness.api.ask('POST', `/sessions/${sessionId}/editor/file`, body);
    return EditorTargetShown.parse(answer).isShown;
  };

  it('[ED4] a failed installation is reported with its reason, and the next try asks the host again', async () => {
    hostEditor = { state: 'failed', reason: '403 Forbidden - GET code-server' };
    expect(await editor('GET')).toEqual({ state: 'off' });
    expect(hostRequests).toEqual([]);
    for (const view of [await editor('POST'), await editor('GET'), await editor('POST')])
      expect(view).toMatchObject({ state: 'failed', error: { code: 'unreachable' } });
    expect(hostRequests).toEqual(['PUT /editor', 'GET /editor', 'PUT /editor']);
    expect(JSON.stringify(await editor('GET'))).toContain('403 Forbidden - GET code-server');
  });

  it('[ED3] the session shows the progress, and the editor starts in a sandbox that was already running', async () => {
    hostEditor = { state: 'installing', step: 'download', since: 5, megabytes: 73 };
    const seen = {
      state: 'preparing',
      step: 'download',
      since: 5,
      where: 'machine',
      megabytes: 73,
    };
    expect(await editor('POST')).toEqual(seen);
    expect(await editor('GET')).toEqual(seen);
    expect(await show('README.md')).toBe(false);
    const entry = 'node_modules/code-server/out/node/entry.js';
    mkdirSync(join(folder, 'staging', entry, '..'), { recursive: true });
    writeFileSync(join(folder, 'staging', entry), STAND_IN);
    renameSync(join(folder, 'staging'), join(folder, 'shared', EDITOR_VERSION));
    hostEditor = { state: 'ready' };
    const view = await until(
      () => editor('GET'),
      ({ state }) => state === 'ready',
    );
    expect(view).toEqual({
      state: 'ready',
      port: 13_337,
      folder: '/home/user',
      host: expect.stringMatching(/^13337-\w+\.ship-preview\.localhost:\d+$/) as string,
    });
  });

  it('[ED5] the open window shows the requested line', async () => {
    expect(await show("odd #'name.ts")).toBe(true);
    const received: unknown = JSON.parse(
      await harness.sandboxes.run(sandboxId, 'cat /tmp/received'),
    );
    expect(received).toMatchObject({
      type: 'open',
      fileURIs: [`file:///home/user/repository/odd%20%23'name.ts:7:1`],
      gotoLineMode: true,
    });
  });
});
