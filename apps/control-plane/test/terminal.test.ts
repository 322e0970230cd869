import type { SessionId } from '@ship/protocol';
import { TERMINAL_CLOSE_CODES, TERMINAL_TAIL_BYTES, TERMINAL_WINDOW_BYTES } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, LOCAL_TOKEN, openHarness } from './harness.ts';
import { until } from './harness/api.ts';
import { TerminalViewer } from './harness/terminal-viewer.ts';

const MINUTE_MS = 60_000;

/** Real workerd, real sandbox server, real shells. */
describe('terminal', { timeout: 2 * MINUTE_MS }, () => {
  let harness: Harness;
  let sessionId: SessionId;
  const viewers: TerminalViewer[] = [];

  beforeAll(async () => {
    harness = await openHarness();
    sessionId = await sessionWithSandbox();
  }, 2 * MINUTE_MS);

  afterAll(async () => {
    await Promise.all(viewers.map((viewer) => viewer.leave().catch(() => undefined)));
    await harness.close();
  }, MINUTE_MS);

  async function sessionWithSandbox(): Promise<SessionId> {
    const made = await harness.api.create();
    await until(
      () => harness.api.sandbox(made.sessionId),
      ({ status }) => status === 'running',
      MINUTE_MS,
    );
    return made.sessionId;
  }

  function openViewer(
    name: string,
    more: Partial<ConstructorParameters<typeof TerminalViewer>[0]> = {},
  ) {
    const where = { url: harness.plane.url, token: LOCAL_TOKEN, sessionId, name };
    const viewer = new TerminalViewer({ ...where, ...more });
    viewers.push(viewer);
    return viewer;
  }

  async function prompted(name: string) {
    const viewer = openViewer(name);
    await viewer.ready();
    await viewer.shows('$ ');
    return viewer;
  }

  it('[TM1] input runs in a shell of the sandbox, which has the size of the viewer', async () => {
    const viewer = openViewer('first', { query: '?cols=91&rows=33' });
    expect(await viewer.ready()).toEqual({ type: 'ready', isNew: true, hasTail: false });
    await viewer.shows('$ ');
    viewer.type('echo $((6*7)) $(whoami) $(stty size)\r');
    await viewer.shows('42 user 33 91');
    viewer.send({ type: 'resize', cols: 100, rows: 40 });
    viewer.type('echo now $(stty size)\r');
    await viewer.shows('now 40 100');
    viewer.sendText('ping');
    await until(
      () => viewer.pongs,
      (count) => count === 1,
    );
  });

  it('[TM2] a reconnected viewer gets the same shell and the output in between, each line once', async () => {
    const viewer = await prompted('again');
    viewer.type('secret=kept; echo before\r');
    await viewer.shows('\rbefore\r\n');
    viewer.type('sleep 1; echo "mean"while\r');
    await viewer.shows('"mean"while\r\n');
    await viewer.leave();
    // Even after the control plane was killed: the sandbox keeps the output.
    await harness.plane.restart();
    const back = openViewer('again');
    expect(await back.ready()).toEqual({ type: 'ready', isNew: false, hasTail: true });
    const { bytes } = await back.message('replay');
    expect(bytes).toBeGreaterThan(0);
    await back.shows('meanwhile');
    back.type('echo "$secret" "now"\r');
    await back.shows('kept now');
    expect(back.text.split('\rbefore\r\n')).toHaveLength(2);
    expect(back.text.split('\rmeanwhile\r\n')).toHaveLength(2);
    const listed = await harness.api.ask('GET', `/sessions/${sessionId}/terminals`);
    expect(listed).toMatchObject({ terminals: expect.arrayContaining([{ name: 'again' }]) });
  });

  it('[TM3] two viewers of one terminal both see it, and neither gets the replay of the other', async () => {
    const one = await prompted('shared');
    one.type('echo "to" both\r');
    await one.shows('to both');
    const two = openViewer('shared');
    await two.message('replay');
    await two.shows('to both');
    two.type('echo "from" two\r');
    await Promise.all([one.shows('from two'), two.shows('from two')]);
    expect(one.text.split('to both')).toHaveLength(2);
    expect(one.messages.map(({ type }) => type)).toEqual(['ready']);
  });

  it('[TM3] two viewers that open a new terminal at once share one shell', async () => {
    const both = [openViewer('race'), openViewer('race')];
    await Promise.all(both.map((viewer) => viewer.ready()));
    await Promise.all(both.map((viewer) => viewer.shows('$ ')));
    both[0]?.type('echo "pid" is $$.\r');
    const seen = await Promise.all(both.map((viewer) => viewer.shows('pid is ')));
    expect(new Set(seen.map((text) => /pid is (\d+)\./.exec(text)?.[1])).size).toBe(1);
  });

  it('[TM4] a slow viewer applies back pressure, and Ctrl-C gets through a flood', async () => {
    const viewer = await prompted('flood');
    const slow = openViewer('flood', { isStalled: true });
    await slow.message('replay');
    viewer.type('yes "a line of a flood that never ends"\r');
    await until(
      () => slow.receivedBytes,
      (bytes) => bytes >= TERMINAL_WINDOW_BYTES,
    );
    // One chunk more than the window may be in flight, and no more however long it takes.
    const before = slow.receivedBytes;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(slow.receivedBytes).toBeLessThan(TERMINAL_WINDOW_BYTES + 256 * 1024);
    expect(slow.receivedBytes).toBeLessThanOrEqual(before + 256 * 1024);
    slow.unstall();
    viewer.type('\u0003');
    await viewer.shows('^C');
    viewer.type('echo "still" here\r');
    await viewer.shows('still here');
  });

  it('[TM5] a replay is bounded, and starts with a whole line', async () => {
    const viewer = await prompted('long');
    viewer.type('for i in $(seq 60000); do echo "line $i of many"; done; echo "all" done\r');
    await viewer.shows('all done');
    await viewer.leave();
    const back = openViewer('long');
    const { bytes } = await back.message('replay');
    expect(bytes).toBeLessThanOrEqual(TERMINAL_TAIL_BYTES);
    expect(bytes).toBeGreaterThan(TERMINAL_TAIL_BYTES / 2);
    expect(await back.shows('all done')).toMatch(/^line \d+ of many\r\n/);
  });

  it('[TM6] a shell that exits or is killed tells its viewers', async () => {
    const viewer = await prompted('short');
    viewer.type('exit 7\r');
    expect(await viewer.message('exit')).toEqual({ type: 'exit', exitCode: 7 });
    expect(await viewer.closed()).toBe(TERMINAL_CLOSE_CODES.ended);
    const other = await prompted('ended');
    await harness.api.ask('DELETE', `/sessions/${sessionId}/terminals/ended`);
    expect(await other.closed()).toBe(TERMINAL_CLOSE_CODES.ended);
    expect((await openViewer('short').ready()).isNew).toBe(true);
  });

  it('[TM7] an invalid message ends the connection, not the shell', async () => {
    for (const text of ['{', '{"type":"launch"}', '{"type":"ack","bytes":1000000000}']) {
      const viewer = openViewer('sturdy');
      await viewer.ready();
      viewer.sendText(text);
      expect(await viewer.closed()).toBe(TERMINAL_CLOSE_CODES['bad-message']);
    }
    expect(await openViewer('sturdy').ready()).toMatchObject({ isNew: false });
  });

  it('[TM8] only a caller of the API gets a shell, and only from the web app’s origin', async () => {
    const cases = [
      [{}, 401],
      [{ authorization: `Bearer ${LOCAL_TOKEN}`, origin: 'http://evil.example' }, 403],
      [{ authorization: 'Bearer wrong' }, 401],
    ] as const;
    for (const [headers, status] of cases) {
      const viewer = openViewer('first', { headers });
      await viewer.closed();
      expect(viewer.status).toBe(status);
    }
    expect((await harness.api.call('GET', `/sessions/${sessionId}/terminals/first`)).status).toBe(
      400,
    );
  });

  it('[TM9] opening a terminal wakes a paused sandbox; an automatic reconnect does not', async () => {
    const viewer = await prompted('sleeper');
    viewer.type('kept=yes\r');
    await viewer.leave();
    await harness.api.sandbox(sessionId, 'pause');
    const refused = openViewer('sleeper', { query: '?wake=no' });
    expect((await refused.message('error')).error.code).toBe('sandbox-paused');
    expect(await refused.closed()).toBe(TERMINAL_CLOSE_CODES.refused);
    const opened = openViewer('sleeper');
    expect(await opened.ready()).toMatchObject({ isNew: false });
    opened.type('echo "kept" $kept\r');
    await opened.shows('kept yes');
    expect((await harness.api.sandbox(sessionId)).status).toBe('running');
  });

  it('[TM9] without a sandbox the error says what to do', async () => {
    const bare = await sessionWithSandbox();
    await harness.api.sandbox(bare, 'kill');
    const viewer = openViewer('first', { sessionId: bare });
    const { error } = await viewer.message('error');
    expect(error).toMatchObject({ code: 'no-sandbox', remedy: expect.stringMatching(/prompt/) });
    expect(await viewer.closed()).toBe(TERMINAL_CLOSE_CODES.refused);
    expect((await harness.api.call('GET', `/sessions/${bare}/terminals`)).status).toBe(409);
  });
});
