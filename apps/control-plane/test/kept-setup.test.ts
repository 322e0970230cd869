import { join } from 'node:path';
import { type DurableEvent, KeptSetupList, type SessionState } from '@ship/protocol';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type E2bConnection, E2bSandboxes } from '../src/sandbox/e2b.ts';
import { REPOSITORY_FOLDER } from '../src/session/workshop/git-work.ts';
import { commit, git, write } from './git/support/git.ts';
import { addSubmodule } from './git/support/submodule.ts';
import { WholeWorld } from './support/whole-world.ts';
import { API_KEY } from './support/world-parts.ts';

const MINUTE_MS = 60_000;
/** Takes longer than a setup that is too short to keep. */
const SETUP = `sleep 5
mkdir -p deps/lib packages/a/deps && date +%s%N >deps/made && cat needs.lock >deps/lib/version && touch packages/a/deps/x
echo installed >~/.installed
`;

const reuseOf = (events: readonly DurableEvent[]) =>
  events.flatMap(({ type, data }) =>
    type === 'setup.reused' ? [type] : type === 'setup.missed' ? [`${type} ${data.reason}`] : [],
  );

const setupMs = ({ stages }: SessionState) =>
  stages.find(({ stage }) => stage === 'setup')?.durationMs ?? Number.NaN;

/** With the real control plane, sandboxes, agent and forge. */
describe('kept setups', { timeout: 4 * MINUTE_MS }, () => {
  let world: WholeWorld;
  let port: E2bSandboxes;
  let connection: E2bConnection;
  let repository: string;
  let first: SessionState;

  beforeAll(async () => {
    const say = { name: 'say', when: { prompt: { regex: '.' } }, steps: [{ say: 'Done.' }] };
    world = await WholeWorld.open([say]);
    const { apiUrl, sandboxUrl } = world.parts.sandboxes;
    connection = { apiKey: API_KEY, apiUrl, sandboxUrl };
    port = new E2bSandboxes(connection);
    repository = await newRepository('slow-setup', {
      '.ship/setup.sh': SETUP,
      'needs.lock': '1\n',
      'requirements.txt': 'a==1\n',
      'packages/a/index.js': '1;\n',
      '.gitignore': 'deps\n',
    });
    first = await run();
    await recorded();
  }, 4 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const newRepository = async (name: string, files: Record<string, string>) => {
    const folder = join(world.folder, name);
    await write(folder, files);
    await git(folder, 'init', '-q', '-b', 'main');
    await git(folder, 'add', '-A');
    await git(folder, 'commit', '-q', '-m', 'first');
    return folder;
  };
  const run = async (location = repository) =>
    world.rest(await world.newSession(location, 'Say something'));
  const events = ({ sessionId }: SessionState) => world.events(sessionId);
  const names = async () =>
    (await Sandbox.listSnapshots(connection).nextItems())
      .flatMap((snapshot) => snapshot.names)
      .filter((name) => name.includes('ship-setup-'));
  const records = async () =>
    KeptSetupList.parse(await (await world.call('GET', '/api/setups')).json()).setups;
  /** The record is written after the files; a session that starts in between would run the whole setup. */
  const recorded = () =>
    vi.waitFor(async () => expect(await records()).toHaveLength(1), {
      timeout: MINUTE_MS,
      interval: 300,
    });
  const kept = async (count: number) => {
    await vi.waitFor(async () => expect(await names()).toHaveLength(count), {
      timeout: MINUTE_MS,
      interval: 300,
    });
    return (await names())[0] ?? '';
  };
  const shell = async ({ sandbox }: SessionState, text: string) => {
    const sandboxId = 'sandboxId' in sandbox ? sandbox.sandboxId : '';
    const argv = ['bash', '-c', text] as const;
    return port.run(sandboxId, {
      argv,
      cwd: REPOSITORY_FOLDER,
      user: 'root',
      timeoutMs: MINUTE_MS,
    });
  };
  const inSubmodule = async (state: SessionState) => {
    const text =
      'cat vendor/lib/needed.txt vendor/lib/made; git -c safe.directory=* status --porcelain';
    return (await shell(state, text)).stdout;
  };
  const inKept = async (text: string) => {
    const source = { template: 'base', preferred: [await kept(1)], egress: [] };
    const sandboxId =
      (await port.createBuilder({ name: 'look', timeoutMs: MINUTE_MS, ...source })) ?? '';
    try {
      const argv = ['bash', '-c', text] as const;
      const options = { cwd: REPOSITORY_FOLDER, user: 'root' as const, timeoutMs: MINUTE_MS };
      return await port.run(sandboxId, { argv, ...options });
    } finally {
      await port.destroy(sandboxId);
    }
  };

  it('[KS3] the next session starts with the files of the first one’s setup, and with newer commits', async () => {
    expect(reuseOf(await events(first))).toEqual([]);
    expect(setupMs(first)).toBeGreaterThan(4_000);
    const sha = await commit(repository, { 'newer.txt': 'newer\n', 'packages/a/index.js': '2;\n' });
    const second = await run();
    const log = await events(second);
    expect(reuseOf(log)).toEqual(['setup.reused']);
    const reused = log.find(({ type }) => type === 'setup.reused');
    const setups = await records();
    expect(reused?.data).toMatchObject({
      savedMs: expect.any(Number),
      madeAt: setups[0]?.madeAt,
      layer: setups[0]?.name,
      baseSha: setups[0]?.baseSha,
    });
    expect(setupMs(second)).toBeLessThan(setupMs(first));
    const look = await shell(
      second,
      'cat newer.txt packages/a/index.js deps/lib/version ~user/.installed; test -f packages/a/deps/x && git -c safe.directory=* status --porcelain; git -c safe.directory=* rev-parse HEAD',
    );
    expect(look.stdout).toBe(`newer\n2;\n1\ninstalled\n${sha}\n`);
  });

  it('[KS2] a kept setup contains nothing of a session', async () => {
    const seen = await inKept(
      `find . -type f | sort; grep -rlaE 'shipcap_|${first.sessionId}' /home /root /tmp /var 2>/dev/null; true`,
    );
    expect(seen.stdout).toBe('./deps/lib/version\n./deps/made\n./packages/a/deps/x\n');
  });

  it('[KS7] the record names the base commit and the command', async () => {
    const { baseSha } = first.git;
    // The first commit, although the base has newer ones now.
    expect(baseSha).toMatch(/^[0-9a-f]{40}$/);
    expect(await records()).toMatchObject([
      { repository, base: '', command: 'bash .ship/setup.sh', baseSha, sessionId: first.sessionId },
    ]);
  });

  it('[KS4] a changed lock file: the whole setup runs in a clean checkout, and its result replaces the kept one', async () => {
    await commit(repository, { 'needs.lock': '2\n', 'requirements.txt': 'a==2\n' });
    const third = await run();
    expect(reuseOf(await events(third))).toEqual(['setup.missed stale']);
    expect((await shell(third, 'cat deps/lib/version')).stdout).toBe('2\n');
    // A sandbox from the kept setup, without a session.
    await vi.waitFor(
      async () => expect((await inKept('cat deps/lib/version')).stdout).toBe('2\n'),
      {
        timeout: 2 * MINUTE_MS,
        interval: 1_000,
      },
    );
  });

  it('[KS4] a kept setup that the sandbox service lost: the whole setup runs, and the session says so', async () => {
    await port.forget(await kept(1));
    const state = await run();
    expect(reuseOf(await events(state))).toEqual(['setup.missed lost']);
    expect((await shell(state, 'cat deps/lib/version')).stdout).toBe('2\n');
  });

  it('[KS10] a setup that needs a submodule is kept too, with the files that it wrote there', async () => {
    const lib = await newRepository('lib', { 'needed.txt': '1\n', '.gitignore': 'made\n' });
    const app = await newRepository('with-lib', {
      '.ship/setup.sh': 'sleep 5; cp vendor/lib/needed.txt vendor/lib/made\n',
    });
    const shaOfLib = () => git(lib, 'rev-parse', 'HEAD');
    await addSubmodule(app, { path: 'vendor/lib', url: '../lib', sha: await shaOfLib() });
    await world.call('POST', '/api/repositories', { location: lib });
    expect(await inSubmodule(await run(app))).toBe('1\n1\n');
    await vi.waitFor(
      async () => expect((await records()).map((one) => one.repository)).toContain(app),
      { timeout: MINUTE_MS, interval: 300 },
    );
    const second = await run(app);
    expect(reuseOf(await events(second))).toEqual(['setup.reused']);
    expect(await inSubmodule(second)).toBe('1\n1\n');
    // At another commit of the submodule, the files from the old one are gone.
    await commit(lib, { 'needed.txt': '2\n' });
    await git(app, 'update-index', '--cacheinfo', '160000', await shaOfLib(), 'vendor/lib');
    await git(app, 'commit', '-qm', 'bump');
    const third = await run(app);
    expect(reuseOf(await events(third))).toEqual(['setup.missed stale']);
    expect(await inSubmodule(third)).toBe('2\n2\n');
  });
});
