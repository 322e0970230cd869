/** The back end with real sandboxes: life cycle, layers, exits, deep folders. Attacks have a separate suite. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { encodeFrame } from '../../src/envd/connect/envelope.ts';
import { writeSkeleton } from '../../src/templates/skeleton.ts';
import { createBubblewrapBackend } from '../../src/isolation/index.ts';
import { runInside } from '../../src/isolation/run-inside.ts';
import { openFileOwner } from '../../src/isolation/bubblewrap/file-owner.ts';
import { findHostTools } from '../../src/isolation/bubblewrap/host-tools.ts';
import { processTree } from '../../src/isolation/bubblewrap/procfs.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

type Backend = Awaited<ReturnType<typeof createBubblewrapBackend>>;

let folder: string;
let dataFolder: string;
let backend: Backend;
const LIMITS = { memoryMb: 512, cpuCount: 2, processes: 128, diskMb: 512 };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ship-backend-'));
  // Longer than the limit for a socket's path.
  dataFolder = join(folder, 'a-rather-deep-folder-name'.repeat(4), 'data');
  backend = await createBubblewrapBackend({ dataFolder });
  await backend.importLayer('base', writeSkeleton);
}, 60_000);
afterAll(async () => {
  for (const id of await backend.list()) await backend.destroy(id);
  await backend.release();
  removeFolder(folder);
}, 60_000);

async function start(id: string, layer = 'base', on: Backend = backend): Promise<void> {
  const egress = join(folder, 'egress', id);
  mkdirSync(egress, { recursive: true });
  await on.start({
    id,
    layer,
    limits: LIMITS,
    env: { MARK: id },
    accessToken: undefined,
    egressSocket: join(egress, 's'),
  });
}
const run = async (id: string, script: string, on: Backend = backend) =>
  (await runInside(on, id, { command: ['/bin/bash', '-l', '-c', script] })).output.trim();

it('[UI4] stops, keeps its files, and starts again', async () => {
  await start('life');
  expect(await run('life', 'echo kept > ~/file; echo $MARK')).toBe('life');
  await expect(start('life')).rejects.toThrow('already running');
  await backend.stop('life');
  expect(await backend.presence('life')).toBe('stopped');
  // overlayfs leaves a folder of mode 000 there, which Node's rm cannot remove for an ordinary user.
  expect(readdirSync(join(dataFolder, 'sandboxes/life/work'))).toEqual([]);
  await start('life');
  expect(await run('life', 'cat ~/file')).toBe('kept');
  await backend.destroy('life');
  await backend.destroy('life');
  expect(await backend.presence('life')).toBe('absent');
  expect(await backend.list()).not.toContain('life');
}, 30_000);

const tick = () => readFileSync(join(dataFolder, 'sandboxes/ice/upper/home/user/tick'), 'utf8');

it('freezes and thaws running processes', async () => {
  await start('ice');
  // Replaces the file by a rename: frozen between truncating and writing it, the file would be empty.
  const loop = 'while :; do date +%N > ~/new; mv ~/new ~/tick; sleep 0.02; done';
  await run('ice', `(${loop}) >/dev/null 2>&1 & disown; until [ -e ~/tick ]; do sleep 0.01; done`);
  await backend.freeze('ice');
  expect(await backend.presence('ice')).toBe('frozen');
  const frozen = tick();
  await delay(150);
  expect(tick()).toBe(frozen);
  await backend.thaw('ice');
  await vi.waitFor(() => expect(tick()).not.toBe(frozen), { timeout: 10_000 });
  await backend.destroy('ice');
}, 30_000);

it('captures a running and a stopped sandbox; copies do not see each other', async () => {
  await start('origin');
  await run('origin', 'echo one > ~/a; mkdir ~/sub; echo x > ~/sub/x; ln -s a ~/link');
  await runInside(backend, 'origin', { command: ['/bin/rm', '/etc/shells'], user: 'root' });
  await backend.capture('origin', 'snap-running');
  expect(await backend.presence('origin')).toBe('running');
  await run('origin', 'echo two > ~/a; rm -r ~/sub');
  await start('copy', 'snap-running');
  expect(await run('copy', 'cat ~/a ~/sub/x; readlink ~/link; ls /etc/shells 2>/dev/null')).toBe(
    'one\nx\na',
  );
  await run('copy', 'echo changed > ~/a');
  expect(await run('origin', 'cat ~/a')).toBe('two');
  await backend.stop('origin');
  await backend.capture('origin', 'snap-stopped');
  await start('origin');
  expect(await run('origin', 'cat ~/a; ls ~/sub 2>/dev/null')).toBe('two');
  await expect(backend.capture('origin', 'snap-stopped')).rejects.toThrow('exists already');
}, 60_000);

it('a capture that a crash interrupts loses nothing', async () => {
  await start('cut');
  await run('cut', 'echo precious > ~/a');
  await backend.stop('cut');
  const sandbox = join(dataFolder, 'sandboxes/cut');
  const state = JSON.parse(readFileSync(join(sandbox, 'state.json'), 'utf8')) as object;
  writeFileSync(join(sandbox, 'state.json'), JSON.stringify({ ...state, capturing: 'cut-layer' }));
  mkdirSync(join(dataFolder, 'layers/.new-cut-layer'));
  await (
    await openFileOwner(findHostTools())
  ).rename(join(sandbox, 'upper'), join(dataFolder, 'layers/.new-cut-layer/fs'));
  await start('cut');
  expect(await run('cut', 'cat ~/a')).toBe('precious');
  await backend.destroy('cut');
}, 30_000);

it('a sandbox that a crash leaves frozen by a capture is thawed by the next server', async () => {
  await start('chill');
  await backend.freeze('chill');
  const file = join(dataFolder, 'sandboxes/chill/state.json');
  const state = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...state, isFrozenForCapture: true }));
  const second = await createBubblewrapBackend({ dataFolder });
  expect(await run('chill', 'echo thawed', second)).toBe('thawed');
  await second.destroy('chill');
}, 30_000);

it('keeps a removed layer while it is in use', async () => {
  await backend.removeLayer('snap-running');
  await expect(start('late', 'snap-running')).rejects.toThrow('no layer');
  expect(await run('copy', 'cat ~/sub/x')).toBe('x');
  expect(readdirSync(join(dataFolder, 'layers'))).toContain('snap-running');
  await backend.destroy('copy');
  expect(readdirSync(join(dataFolder, 'layers'))).not.toContain('snap-running');
  await backend.destroy('origin');
}, 30_000);

it('[UI4] returns the files of templates to the user when nothing runs, and claims them again', async () => {
  const own = join(folder, 'returned');
  const first = await createBubblewrapBackend({ dataFolder: own });
  await first.importLayer('base', writeSkeleton);
  const file = join(own, 'layers/base/fs/etc/passwd');
  const sandboxUid = statSync(file).uid;
  await start('kept', 'base', first);
  await first.release();
  expect(statSync(file).uid).toBe(sandboxUid);
  await first.destroy('kept');
  await first.release();
  // Root deletes files of any id; for other users, the files belong to them now, or always did.
  if (process.getuid?.() !== 0) expect(statSync(file).uid).toBe(process.getuid?.());
  const next = await createBubblewrapBackend({ dataFolder: own });
  expect(statSync(file).uid).toBe(sandboxUid);
  await start('again', 'base', next);
  expect(await run('again', 'touch ~/own && stat -c %U / ~', next)).toMatch(/^(root|user)\nuser$/);
  await next.destroy('again');
  await next.release();
}, 60_000);

it('a second server finds the sandbox, its processes and its exit', async () => {
  await start('found');
  await run('found', '(sleep 300 & disown) >/dev/null 2>&1; echo $MARK > ~/mark');
  const second = await createBubblewrapBackend({ dataFolder });
  expect(await second.presence('found')).toBe('running');
  expect(await run('found', 'pgrep -c sleep; cat ~/mark', second)).toBe('1\nfound');
  const exited = new Promise<string>((resolve) => second.onExit(resolve));
  const { run: running } = JSON.parse(
    readFileSync(join(dataFolder, 'sandboxes/found/state.json'), 'utf8'),
  ) as {
    run: { init: { pid: number } };
  };
  process.kill(running.init.pid, 'SIGKILL');
  expect(await exited).toBe('found');
  expect(await second.presence('found')).toBe('stopped');
  await second.destroy('found');
}, 30_000);

it('kills a launcher that a killed server left behind, but not another process with a reused pid', async () => {
  const paths = join(dataFolder, 'sandboxes/orphan');
  mkdirSync(paths, { recursive: true });
  writeFileSync(join(paths, 'pid'), String(process.pid));
  expect(await backend.list()).toContain('orphan');
  await backend.destroy('orphan');
  expect(existsSync(paths)).toBe(false);
});

it('completes the removals that a killed server began', async () => {
  const half = ['sandboxes', 'layers'].map((kind) => join(dataFolder, kind, '.gone-half', 'upper'));
  for (const path of half) mkdirSync(path, { recursive: true });
  const second = await createBubblewrapBackend({ dataFolder });
  await second.release();
  expect(half.filter((path) => existsSync(dirname(path)))).toEqual([]);
});

it('leaves nothing behind after a failed start', async () => {
  const spec = { limits: LIMITS, env: {}, accessToken: undefined };
  const missing = join(folder, 'no-such-folder', 's');
  await expect(
    backend.start({ ...spec, id: 'broken', layer: 'base', egressSocket: missing }),
  ).rejects.toThrow('ended while starting');
  expect(await backend.list()).not.toContain('broken');
}, 30_000);

it('a flood of output to a client that does not read stops the command, not the memory', async () => {
  await start('flood');
  const socket = await backend.open('flood');
  const body = encodeFrame({ process: { cmd: '/usr/bin/yes', args: ['x'.repeat(200)] } });
  socket.write(
    `POST /process.Process/Start HTTP/1.1\r\nHost: e\r\nContent-Type: application/connect+json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  await once(socket, 'readable');
  await delay(1500);
  const { run: running } = JSON.parse(
    readFileSync(join(dataFolder, 'sandboxes/flood/state.json'), 'utf8'),
  ) as {
    run: { init: { pid: number } };
  };
  const [, supervisor = 0] = processTree(running.init.pid);
  const residentKb = Number(
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${supervisor}/status`, 'utf8'))?.[1],
  );
  expect(residentKb).toBeLessThan(120_000);
  socket.destroy();
  expect(await run('flood', 'echo alive')).toBe('alive');
  await backend.destroy('flood');
}, 30_000);
