import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createId, Diff } from '@ship/protocol';
import { type RunningForge, startForge } from '@ship/forge';
import { type SandboxServer, startSandboxServer } from '@ship/sandbox-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import {
  commitDiff,
  connectForge,
  deliverTurn,
  gatewayRemotes,
  prepareRepository,
  sandboxShell,
  saveCheckpoint,
  workingTreeDiff,
} from '../../src/git/index.ts';
import { E2bSandboxes } from '../../src/sandbox/e2b.ts';
import { type RunningControlPlane, SECRET, startControlPlane } from './support/control-plane.ts';
import { type AnonymousProxy, openAnonymousProxy } from './support/anonymous-proxy.ts';
import { git, repository } from './support/git.ts';
import { people, TestSession, turn } from './support/world.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

const TOKEN = 'planted-forge-token-7f3a';
const MINUTE_MS = 60_000;
const FOLDER = '/home/user/app';

/** Uses a real sandbox and its proxy to the gateway in workerd, the forge, and a folder of the user behind it. */
describe('git in a sandbox', { timeout: MINUTE_MS }, () => {
  let data: string;
  let forgeServer: RunningForge;
  let plane: RunningControlPlane;
  let proxy: AnonymousProxy;
  let server: SandboxServer;
  let port: E2bSandboxes;
  let person: string;
  let session: TestSession;
  let sandboxId: string;

  beforeAll(async () => {
    data = await preparedDataFolder();
    person = await repository(join(data, 'my-app'));
    forgeServer = await startForge({
      root: join(data, 'forge'),
      tokens: [{ token: TOKEN, login: 'ada' }],
    });
    await mkdir(join(data, 'plane'));
    plane = await startControlPlane(join(data, 'plane'), { ...forgeServer, token: TOKEN });
    proxy = await openAnonymousProxy(plane.url);
    const apiKey = 'e2b_0123456789';
    server = await startSandboxServer({
      apiKey,
      dataDir: join(data, 'sandboxes'),
      gateways: { git: { address: proxy.url } },
    });
    port = new E2bSandboxes({ apiKey, apiUrl: server.apiUrl, sandboxUrl: server.sandboxUrl });
    session = await newSession();
  }, MINUTE_MS);

  afterAll(async () => {
    await server.close('stop');
    proxy.close();
    await plane.stop();
    await forgeServer.close();
    removeFolder(data);
  }, MINUTE_MS);

  const newSandbox = () =>
    port.create({
      sessionId: createId('ses'),
      template: 'base',
      timeoutMs: 10 * MINUTE_MS,
      env: {},
      egress: [],
    });

  const newSession = async (): Promise<TestSession> => {
    sandboxId = await newSandbox();
    const bindings = {
      FORGE_API_URL: forgeServer.apiUrl,
      FORGE_GIT_URL: forgeServer.gitUrl,
      FORGE_TOKEN: TOKEN,
    };
    const forge = await connectForge(person, bindings);
    const holder = await plane.holder();
    const { sessionId } = holder;
    const door = 'http://127.0.0.1:7002';
    return new TestSession({
      shell: sandboxShell(port, sandboxId),
      folder: FOLDER,
      forge,
      remoteFor: gatewayRemotes({ secret: SECRET, door, forge, ...holder, now: Date.now }),
      session: {
        sessionId,
        title: 'Fix it',
        createdAtMs: Date.now(),
        cardId: null,
        base: null,
        branch: null,
      },
      people,
    });
  };

  const inside = (...argv: [string, ...string[]]) =>
    port.run(sandboxId, { argv, cwd: FOLDER, timeoutMs: MINUTE_MS });
  const bash = (text: string) => inside('bash', '-c', text);

  it('[GT1] from a folder of the user to a draft pull request, through the gateway', async () => {
    expect(session.record(await prepareRepository(session.deps))).toEqual(['branch.made']);
    await bash('echo four >> src/a.txt; mkdir lib; echo x > lib/new.txt');
    const before = await workingTreeDiff(session.deps.shell, FOLDER, session.git.baseSha);
    expect(
      Diff.parse(before).files.map(({ path, status, additions }) => [path, status, additions]),
    ).toEqual([
      ['lib/new.txt', 'added', 1],
      ['src/a.txt', 'modified', 1],
    ]);
    expect(session.record(await saveCheckpoint(session.deps))).toEqual(['checkpoint.saved']);
    const { events, problem } = await deliverTurn(session.deps, turn());
    expect(problem).toBeNull();
    expect(session.record(events)).toEqual(['commit.made', 'branch.pushed', 'pull-request.opened']);
    // The branch is in the user's own folder, like any other.
    expect(await git(person, 'log', '-1', '--format=%an <%ae> %cn', session.branch)).toBe(
      'Ada Lovelace <1+ada@users.noreply.localhost> Ship',
    );
    const [commit] = session.git.commits;
    const own = await commitDiff(
      session.deps.shell,
      FOLDER,
      commit?.parentSha ?? null,
      commit?.sha ?? '',
    );
    expect(own.files).toEqual(before.files);
    const there = await session.deps.forge.compare(
      session.git.baseSha ?? '',
      session.git.headSha ?? '',
    );
    expect(there.files).toEqual(before.files);
  });

  it('[GT2] the agent’s own git works through origin, and shows why a push is refused', async () => {
    expect((await bash('git fetch origin && git status')).exitCode).toBe(0);
    await bash('echo y > lib/y.txt; git add -A; git commit -qm "feat: by the agent itself"');
    expect((await bash('git push')).exitCode).toBe(0);
    const refused = await bash('git push origin HEAD:main');
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain(`Ship: this session may push to ${session.branch} only`);
    // Commits that the agent pushed itself count as the session's work.
    const { events, problem } = await deliverTurn(session.deps, turn());
    expect(problem).toBeNull();
    expect(session.record(events)).toEqual(
      expect.arrayContaining(['commit.made', 'branch.pushed']),
    );
  });

  it('[GT3] the token is nowhere in the sandbox: environment, processes, files, git’s folder; nor in a log', async () => {
    const hook =
      '#!/bin/sh\n{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; git config --list; } > /tmp/seen 2>/dev/null\nexit 0\n';
    await port.writeFile(sandboxId, `${FOLDER}/.git/hooks/pre-push`, hook);
    await bash(
      'chmod +x .git/hooks/pre-push; echo z > z; git add -A; git commit -qm z; git push -q',
    );
    expect((await bash('wc -c < /tmp/seen')).stdout.trim()).not.toBe('0');
    const found = await bash(
      `grep -rlaF -e ${TOKEN} -e "$(printf 'x-access-token:${TOKEN}' | base64 -w0)" /tmp /home /run /etc /var 2>/dev/null; cat /proc/*/environ 2>/dev/null | grep -c ${TOKEN}`,
    );
    expect(found.stdout.trim()).toBe('0');
    expect(plane.log.join('\n')).not.toContain(TOKEN);
    expect(JSON.stringify([session.events, session.git])).not.toContain(TOKEN);
    session.record((await deliverTurn(session.deps, turn())).events);
  });

  it('[GT4] a shell profile that the agent wrote does not change Ship’s git commands', async () => {
    const profile =
      'export GIT_DIR=/tmp/evil PATH=/tmp/bin:$PATH LD_PRELOAD=/tmp/x.so GIT_SSH_COMMAND=false\ngit() { touch /tmp/ran; }\n';
    await port.writeFile(sandboxId, '/home/user/.profile', profile);
    await port.writeFile(sandboxId, '/home/user/.bashrc', profile);
    await port.writeFile(sandboxId, '/home/user/.gitconfig', '[core]\n\thooksPath = /tmp/hooks\n');
    await inside('/bin/sh', '-c', 'echo changed > profile.txt');
    const { events, problem } = await deliverTurn(session.deps, turn());
    expect(problem).toBeNull();
    expect(session.record(events)).toContain('branch.pushed');
    await inside('/bin/rm', '/home/user/.profile', '/home/user/.bashrc', '/home/user/.gitconfig');
  });

  it('[GT5] a new sandbox restores all work of a lost one, committed or not', async () => {
    await bash('echo half > half-done.txt; echo changed >> src/a.txt');
    session.record(await saveCheckpoint(session.deps));
    await port.destroy(sandboxId);
    sandboxId = await newSandbox();
    const restored = new TestSession({ ...session.deps, shell: sandboxShell(port, sandboxId) });
    restored.git = session.git;
    expect(restored.record(await prepareRepository(restored.deps))).toEqual(['work.restored']);
    expect(
      (await bash('cat half-done.txt; tail -1 src/a.txt; git branch --show-current')).stdout,
    ).toBe(`half\nchanged\n${session.branch}\n`);
    const { events, problem } = await deliverTurn(restored.deps, turn());
    expect(problem).toBeNull();
    expect(restored.record(events)).toContain('branch.pushed');
    expect(await git(person, 'show', `${session.branch}:half-done.txt`)).toBe('half');
    expect(await readFile(join(person, 'src/a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  });
});
