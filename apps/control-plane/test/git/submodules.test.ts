import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SubmoduleAccess } from '../../src/git/index.ts';
import { addedRepositories, prepareRepository, updateFromBase } from '../../src/git/index.ts';
import { commit, git, write } from './support/git.ts';
import { deliver, sharedWorld, started } from './support/session-steps.ts';
import { addSubmodule } from './support/submodule.ts';
import { TestSession, type TestRepository, turn } from './support/world.ts';

const push = (repo: TestRepository) => git(repo.person, 'push', '-q', 'origin', 'main');
const tipOf = (repo: TestRepository) => git(repo.person, 'rev-parse', 'HEAD');
const notedIn = ({ events }: TestSession) => {
  const found = events.findLast(({ type }) => type === 'checkout.noted');
  return found?.type === 'checkout.noted' ? found.data : undefined;
};
const nowhere = async () => 'http://127.0.0.1:1/gateway/git/shipcap_secret/local/lib.git';

describe('submodules', { timeout: 60_000 }, () => {
  const world = sharedWorld();

  const access = (repo: TestRepository, added: string[]): SubmoduleAccess => {
    const bindings = { FORGE_API_URL: world.server.apiUrl, FORGE_GIT_URL: world.server.gitUrl };
    return {
      origin: { gitUrl: world.server.gitUrl, location: repo.url },
      find: (source) => addedRepositories(bindings, async () => added).find('local', source),
      // In place of the gateway, which has separate tests.
      remoteFor: async ({ owner, name }) => `${world.server.gitUrl}/${owner}/${name}.git`,
    };
  };
  const sessionOn = (repo: TestRepository, added: string[]) =>
    new TestSession({ ...repo.session().deps, submodules: access(repo, added) });
  /** `app` has `lib` as a submodule by a relative address. */
  const withLibrary = async () => {
    const [lib, app] = [await world.newRepository(), await world.newRepository()];
    await addSubmodule(app.person, {
      path: 'vendor/lib',
      url: `../${lib.name}`,
      sha: await tipOf(lib),
    });
    await push(app);
    return { lib, app };
  };

  it('[GW29] added repositories are checked out at their commit, with their own submodules; deeper ones are reported', async () => {
    const { lib, app } = await withLibrary();
    const [deep, deeper] = [await world.newRepository(), await world.newRepository()];
    await addSubmodule(deep.person, { path: 'deeper', url: deeper.url, sha: await tipOf(deeper) });
    await push(deep);
    await addSubmodule(lib.person, {
      path: 'deep',
      url: `../${deep.name}.git`,
      sha: await tipOf(deep),
    });
    await push(lib);
    await commit(lib.person, { 'later.txt': 'x' });
    await push(lib);
    const sha = await git(lib.person, 'rev-parse', 'HEAD~1');
    await git(app.person, 'update-index', '--cacheinfo', '160000', sha, 'vendor/lib');
    await git(app.person, 'commit', '-qm', 'bump');
    await push(app);
    const session = await started(sessionOn(app, [lib.url, deep.url, deeper.url]));
    expect(notedIn(session)).toEqual({
      submodules: [{ path: 'vendor/lib/deep/deeper', reason: 'it is more than 2 levels deep' }],
      initialized: [
        { path: 'vendor/lib', from: lib.url },
        { path: 'vendor/lib/deep', from: deep.url },
      ],
      lfsFiles: 0,
    });
    expect(session.git.checkout?.initialized).toEqual(['vendor/lib', 'vendor/lib/deep']);
    const sub = join(session.folder, 'vendor/lib');
    expect(await git(sub, 'rev-parse', 'HEAD')).toBe(sha);
    expect(await readFile(join(sub, 'deep/README.md'), 'utf8')).toBe('# app\n');
    expect(await git(session.folder, 'status', '--porcelain')).toBe('');
    expect(await git(session.folder, 'submodule', 'status')).toContain(`${sha} vendor/lib`);
    expect((await deliver(session)).types).toEqual([]);
  });

  it('[GW29] a repository that was not added is reported by name, and nothing of it is checked out', async () => {
    const { lib, app } = await withLibrary();
    const session = await started(sessionOn(app, []));
    expect(notedIn(session)?.submodules).toEqual([
      {
        path: 'vendor/lib',
        reason: `local/${lib.name} is not among the repositories that were added to Ship (Settings → Repositories)`,
      },
    ]);
    expect(await readdir(join(session.folder, 'vendor/lib'))).toEqual([]);
  });

  it('[GW29] a changed pointer is delivered; changes inside a submodule are not, and do not block the delivery', async () => {
    const { lib, app } = await withLibrary();
    const newer = await commit(lib.person, { 'newer.txt': 'x' });
    await push(lib);
    const session = await started(sessionOn(app, [lib.url]));
    const sub = join(session.folder, 'vendor/lib');
    await write(sub, { 'mine.txt': 'not delivered\n' });
    await write(session.folder, { 'a.txt': '1\n' });
    const first = await deliver(session);
    expect(first.problem).toBeNull();
    expect(await git(session.folder, 'diff', '--name-only', 'HEAD~1', 'HEAD')).toBe('a.txt');
    await git(sub, 'checkout', '-q', '--detach', newer);
    expect((await deliver(session)).types).toContain('branch.pushed');
    expect(await git(session.folder, 'ls-tree', 'HEAD', 'vendor/lib')).toContain(newer);
  });

  it('[GW29] when the base moves a pointer, the submodule follows, and the next commit keeps the pointer', async () => {
    const { lib, app } = await withLibrary();
    const there = await commit(lib.person, { 'newer.txt': 'x' });
    await push(lib);
    const session = await started(sessionOn(app, [lib.url]));
    const sub = join(session.folder, 'vendor/lib');
    const movePointer = async (sha: string) => {
      await git(app.person, 'update-index', '--cacheinfo', '160000', sha, 'vendor/lib');
      await git(app.person, 'commit', '-qm', 'bump');
      await push(app);
      await write(session.folder, { [`${sha}.txt`]: '1\n' });
      const { events, problem } = await updateFromBase(session.deps, turn());
      expect(problem).toBeNull();
      session.record(events);
      await write(session.folder, { [`${sha}.txt`]: '2\n' });
      expect((await deliver(session)).problem).toBeNull();
      expect(await git(session.folder, 'ls-tree', 'HEAD', 'vendor/lib')).toContain(sha);
    };
    await movePointer(there);
    expect(await git(sub, 'rev-parse', 'HEAD')).toBe(there);
    // A commit that the sandbox has not fetched.
    const unknown = await commit(lib.person, { 'newest.txt': 'x' });
    await movePointer(unknown);
    expect(await readdir(sub)).toEqual([]);
  });

  it('[GW29] a new sandbox has them again; a repeated call finds them', async () => {
    const { lib, app } = await withLibrary();
    const session = sessionOn(app, [lib.url]);
    await prepareRepository(session.deps);
    // The events of the first call were lost.
    await started(session);
    expect(notedIn(session)?.initialized).toHaveLength(1);
    await write(session.folder, { 'a.txt': '1\n' });
    await deliver(session);
    const back = session.inNewSandbox(join(world.folder, `back-${app.name}`));
    expect(back.record(await prepareRepository(back.deps))).toEqual([
      'work.restored',
      'checkout.noted',
    ]);
    expect(await readFile(join(back.folder, 'vendor/lib/README.md'), 'utf8')).toBe('# app\n');
  });

  it('[GW29] without a reachable forge the task continues, and the reason contains no capability', async () => {
    const { lib, app } = await withLibrary();
    const { deps } = sessionOn(app, [lib.url]);
    const submodules = { ...access(app, [lib.url]), remoteFor: nowhere };
    const session = await started(new TestSession({ ...deps, submodules }));
    const [missing] = notedIn(session)?.submodules ?? [];
    expect(missing?.reason).toContain('could not be fetched');
    expect(missing?.reason).not.toContain('shipcap_');
    const broken = { ...submodules, find: () => Promise.reject(new Error('no workspace')) };
    const next = await started(new TestSession({ ...app.session().deps, submodules: broken }));
    expect(notedIn(next)?.submodules).toHaveLength(1);
    await write(next.folder, { 'a.txt': '1\n' });
    expect((await deliver(next)).problem).toBeNull();
  });
});
