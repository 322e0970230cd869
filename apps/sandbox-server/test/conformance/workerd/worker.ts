/** Runs in workerd: the SDK as the control plane uses it. Each check throws on failure. */
import { CommandExitError, Sandbox, SandboxNotFoundError } from 'e2b';

interface Options {
  apiKey: string;
  apiUrl: string;
  sandboxUrl: string;
}

function same(actual: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`expected ${b}, got ${a}`);
}

async function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (await ask()) return;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`never came true: ${what}`);
}

type Check = (sandbox: Sandbox, options: Options) => Promise<void>;

const checks: Record<string, Check> = {
  async commands(sandbox) {
    const result = await sandbox.commands.run('echo out; echo err >&2', { envs: { A: 'b' } });
    same([result.stdout, result.stderr, result.exitCode], ['out\n', 'err\n', 0]);
    const failure = await sandbox.commands.run('exit 3').catch((error: unknown) => error);
    if (!(failure instanceof CommandExitError))
      throw new Error(`not a CommandExitError: ${String(failure)}`);
    same(failure.exitCode, 3);
  },
  async streams(sandbox) {
    const cat = await sandbox.commands.run('cat', { background: true, stdin: true, timeoutMs: 0 });
    await cat.sendStdin('through the worker');
    await cat.closeStdin();
    same((await cat.wait()).stdout, 'through the worker');
    const ticks = await sandbox.commands.run('for i in 1 2 3 4 5; do echo $i; sleep 0.2; done', {
      background: true,
      timeoutMs: 0,
    });
    await ticks.disconnect();
    const again = await sandbox.commands.connect(ticks.pid);
    same((await again.wait()).exitCode, 0);
  },
  async pty(sandbox) {
    let screen = '';
    const onData = (data: Uint8Array): void => void (screen += new TextDecoder().decode(data));
    const terminal = await sandbox.pty.create({ cols: 90, rows: 30, timeoutMs: 0, onData });
    await sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode('stty size\n'));
    await until('30 90', async () => screen.includes('30 90'));
    await terminal.kill();
  },
  async files(sandbox) {
    const raw = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
    await sandbox.files.write('raw.bin', raw.buffer);
    same((await sandbox.files.read('raw.bin', { format: 'bytes' })).length, raw.length);
    await sandbox.files.write([
      { path: 'a', data: '1' },
      { path: 'b', data: '2' },
    ]);
    same(
      (await sandbox.files.list('.'))
        .map(({ name }) => name)
        .filter((name) => name.length === 1)
        .toSorted(),
      ['a', 'b'],
    );
    const events: string[] = [];
    const watch = await sandbox.files.watchDir('/home/user', ({ name }) => void events.push(name), {
      timeoutMs: 0,
    });
    await sandbox.files.write('seen', 'x');
    await until('the event', async () => events.includes('seen'));
    await watch.stop();
  },
  async signed(sandbox) {
    await sandbox.files.write('signed', 'by url');
    const response = await fetch(
      await sandbox.downloadUrl('signed', { useSignatureExpiration: 60 }),
    );
    same(await response.text(), 'by url');
  },
  async ports(sandbox, options) {
    await sandbox.commands.run('python3 -m http.server 8000', { background: true, timeoutMs: 0 });
    const headers = { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '8000' };
    await until('the server inside answers', async () => {
      const response = await fetch(options.sandboxUrl, { headers });
      await response.text();
      return response.status === 200;
    });
  },
  async life(sandbox, options) {
    await sandbox.setTimeout(60_000);
    same(await sandbox.pause(), true);
    same(await sandbox.isRunning(), false);
    await sandbox.connect();
    same(await sandbox.isRunning(), true);
    const paginator = Sandbox.list({ ...options, query: { metadata: { from: 'workerd' } } });
    const listed = await paginator.nextItems();
    same(
      listed.some(({ sandboxId }) => sandboxId === sandbox.sandboxId),
      true,
    );
    const snapshot = await sandbox.createSnapshot();
    same(await Sandbox.deleteSnapshot(snapshot.snapshotId, options), true);
    const missing = await Sandbox.getInfo('inotthere000', options).catch((error: unknown) => error);
    same(missing instanceof SandboxNotFoundError, true);
  },
};

export default {
  async fetch(request: Request): Promise<Response> {
    const { name, options } = (await request.json()) as { name: string; options: Options };
    const check = checks[name];
    if (check === undefined) return Response.json(Object.keys(checks));
    const sandbox = await Sandbox.create('base', {
      ...options,
      timeoutMs: 120_000,
      metadata: { from: 'workerd' },
    });
    try {
      await check(sandbox, options);
      return Response.json({ ok: true });
    } catch (error) {
      return Response.json({
        ok: false,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    } finally {
      await sandbox.kill();
    }
  },
};
