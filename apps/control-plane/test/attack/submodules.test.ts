/** Attacks of a repository through its submodules. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayRemote, gitCapabilities } from '../../src/git/gateway/capability.ts';
import { deliverTurn, prepareRepository } from '../../src/git/index.ts';
import { SECRET } from '../git/support/control-plane.ts';
import type { Holder } from '../git/support/bearer.ts';
import { commit, git, gitFailure, repository } from '../git/support/git.ts';
import { FOLDER, type Sandboxed, startSandboxed } from '../git/support/sandboxed.ts';
import { addSubmodule } from '../git/support/submodule.ts';
import { turn } from '../git/support/world.ts';
import { openCanary } from './canary.ts';

const PRIVATE_LINE = 'a line of a repository that was never added';

describe('submodules of a hostile repository', { timeout: 120_000 }, () => {
  let world: Sandboxed;
  let holder: Holder;
  let added: string;
  let secret: string;
  let tip: string;
  let count = 0;

  beforeAll(async () => {
    world = await startSandboxed();
    holder = await world.plane.holder();
    added = await repository(join(world.data, 'added'));
    secret = await repository(join(world.data, 'secret'));
    await commit(secret, { 'notes.txt': PRIVATE_LINE });
    tip = await git(secret, 'rev-parse', 'HEAD');
    // The forge serves both; a person added only one of them to Ship.
    for (const folder of [added, secret]) await world.serve(folder);
  }, 120_000);
  afterAll(() => world.close(), 60_000);

  const addressOf = async (name: string, reads?: string[]) => {
    const own = { forge: 'local' as const, owner: 'local', name: 'app' };
    const claims = { ...holder, repository: own, branch: 'ship-x', ...(reads && { reads }) };
    const capability = await gitCapabilities(SECRET).issue(claims, Date.now() + 3_600_000);
    const repositoryName = { forge: 'local' as const, owner: 'local', name };
    return gatewayRemote(world.plane.url, capability, { ...claims, repository: repositoryName });
  };
  const hostile = async (url: string, { path = 'sub', sha = tip, name = 'sub' } = {}) => {
    const folder = await repository(join(world.data, `hostile-${count++}`));
    await addSubmodule(folder, { name, path, url, sha });
    return folder;
  };
  const checkout = async (folder: string) => {
    const made = await world.session(folder, undefined, [added]);
    const { session } = made;
    const types = session.record(await prepareRepository(session.deps));
    const noted = session.events.find(({ type }) => type === 'checkout.noted');
    return { ...made, types, noted: noted?.type === 'checkout.noted' ? noted.data : undefined };
  };

  it('[AT-S1] [GG11] attack: reads another repository of the forge through the gateway', async () => {
    for (const address of [await addressOf('secret'), await addressOf('secret', ['local/added'])])
      expect(await gitFailure(world.data, 'ls-remote', address)).toContain('403');
    expect(await git(world.data, 'ls-remote', await addressOf('added', ['local/added']))).toContain(
      'refs/heads/main',
    );
  });

  it('[AT-S2] [GG11] attack: pushes to a repository that it may only read', async () => {
    const address = await addressOf('added', ['local/added']);
    const before = await git(added, 'for-each-ref');
    for (const ref of ['ship-x', 'main', 'other'])
      expect(await gitFailure(added, 'push', '-f', address, `HEAD~0:refs/heads/${ref}`)).toContain(
        '403',
      );
    const raw = await fetch(`${address}/git-receive-pack`, { method: 'POST', body: 'x' });
    expect([raw.status, await raw.text()]).toEqual([
      403,
      'Ship: this session may read local/added, not push to it.\n',
    ]);
    const disguised = `${address}/git-upload-pack?service=git-receive-pack`;
    expect((await fetch(disguised, { method: 'POST', body: 'x' })).status).toBe(403);
    expect(await git(added, 'for-each-ref')).toBe(before);
  });

  it('[AT-S3] attack: gets a repository that was never added by naming it as a submodule', async () => {
    for (const url of [`${world.forge.gitUrl}/local/secret.git`, '../secret', secret]) {
      const { noted, run } = await checkout(await hostile(url));
      expect(noted?.submodules).toMatchObject([
        { path: 'sub', reason: expect.stringContaining('not among the repositories') as string },
      ]);
      const found = await run('user', `grep -rlF '${PRIVATE_LINE}' ${FOLDER} /tmp || true`);
      expect(found.stdout).toBe('');
    }
  });

  it('[AT-S4] attack: makes git run a program or read files by the scheme of its address', async () => {
    const urls = [
      `file://${secret}`,
      'ext::sh -c touch% /tmp/ran',
      'ssh://-oProxyCommand=touch%20%2Ftmp%2Fran/x',
      '-oProxyCommand=touch /tmp/ran:x',
      '--upload-pack=touch /tmp/ran',
      'fd::17',
    ];
    for (const url of urls) {
      const { noted, run } = await checkout(await hostile(url));
      expect([url, noted?.submodules.length, noted?.initialized]).toEqual([url, 1, undefined]);
      expect((await run('user', `ls -A ${FOLDER}/sub; ls /tmp/ran`)).stdout).toBe('');
    }
  });

  it('[AT-S5] attack: reaches the loopback, a metadata service or the host’s network with it', async () => {
    const canary = await openCanary();
    const port = new URL(canary.url).port;
    for (const url of [
      `http://127.0.0.1:${port}/x.git`,
      `https://127.0.0.1:${port}/x.git`,
      `https://localhost:${port}/x.git`,
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/x.git',
      'https://metadata/x.git',
    ]) {
      const { noted } = await checkout(await hostile(url));
      expect([url, noted?.submodules.length, noted?.initialized]).toEqual([url, 1, undefined]);
    }
    expect(canary.seen).toEqual([]);
    canary.close();
  });

  it('[AT-S6] attack: writes outside of its folder by the path or the name of a submodule', async () => {
    const url = await world.addressOf(added);
    const sha = await git(added, 'rev-parse', 'HEAD');
    const { noted, run } = await checkout(
      await hostile(url, { sha, name: '../../../.ssh', path: 'sub' }),
    );
    // The name must not become a path.
    expect(noted?.initialized).toMatchObject([{ path: 'sub' }]);
    expect((await run('user', 'ls -A /home/user/.ssh')).stdout).toBe('');
    const hooked = await checkout(await hostile(url, { sha, name: 'x', path: 'a:b' }));
    expect(hooked.noted?.submodules).toMatchObject([{ reason: expect.stringContaining('path') }]);
  });

  it('[AT-S7] attack: breaks the task with a submodule that cannot be fetched', async () => {
    const missing = await hostile(await world.addressOf(added), { sha: '1'.repeat(40) });
    const { session, run, noted } = await checkout(missing);
    expect(noted?.submodules).toMatchObject([
      { path: 'sub', reason: expect.stringContaining('111111111') as string },
    ]);
    await run('user', `echo work > ${FOLDER}/work.txt`);
    const { problem, events } = await deliverTurn(session.deps, turn());
    expect(problem).toBeNull();
    expect(session.record(events)).toContain('pull-request.opened');
    expect(await git(missing, 'ls-tree', session.branch, 'sub')).toContain('1'.repeat(40));
  });

  it('[AT-S8] attack: keeps a session busy with any number of submodules', async () => {
    const url = await world.addressOf(added);
    const sha = await git(added, 'rev-parse', 'HEAD');
    const folder = await repository(join(world.data, 'many'));
    const names = Array.from({ length: 150 }, (_, i) => `sub${i}`);
    await writeFile(
      join(folder, '.gitmodules'),
      names.map((name) => `[submodule "${name}"]\n\tpath = ${name}\n\turl = ${url}\n`).join(''),
    );
    for (const name of names)
      await git(folder, 'update-index', '--add', '--cacheinfo', '160000', sha, name);
    await git(folder, 'add', '.gitmodules');
    await git(folder, 'commit', '-qm', 'many');
    const { noted } = await checkout(folder);
    expect(noted?.initialized).toHaveLength(20);
    expect(noted?.submodules[0]?.reason).toContain('20');
  });

  it('checks out the files of a registered submodule without its hooks', async () => {
    const folder = await hostile(await world.addressOf(added), {
      sha: await git(added, 'rev-parse', 'HEAD'),
    });
    const { run, noted } = await checkout(folder);
    expect(noted?.initialized).toMatchObject([{ path: 'sub' }]);
    const listed = await run(
      'user',
      `cat ${FOLDER}/sub/README.md; find ${FOLDER}/.git/modules -path '*/hooks/*' -type f; git -C ${FOLDER}/sub config remote.origin.url`,
    );
    expect(listed.stdout).toContain('# app');
    expect(listed.stdout).not.toContain('hooks');
    expect(listed.stdout).not.toContain('shipcap');
  });
});
