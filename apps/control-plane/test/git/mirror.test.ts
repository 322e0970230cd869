import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { keepMirror, mirrorTemplate, prepareRepository } from '../../src/git/index.ts';
import { MIRROR_FOLDER } from '../../src/git/mirror/template.ts';
import { refreshMirror } from '../../src/git/mirror/refresh.ts';
import { commit, git, repository } from './support/git.ts';
import { FOLDER, type Sandboxed, startSandboxed } from './support/sandboxed.ts';

const MINUTE_MS = 60_000;

/** A mirror is a captured sandbox under a name; tested with the real service, gateway and forge. */
describe('mirrors', { timeout: 2 * MINUTE_MS }, () => {
  let all: Sandboxed;
  let person: string;
  let name: string;

  beforeAll(async () => {
    all = await startSandboxed();
    person = await repository(join(all.data, 'my-app'));
    await git(person, 'update-ref', 'refs/ship/ses_other/checkpoint', 'HEAD');
    name = await mirrorTemplate(person);
  }, 2 * MINUTE_MS);

  afterAll(() => all.close(), MINUTE_MS);

  const remote = async () => {
    const { session } = await all.session(person);
    return session.deps.remoteFor('ship-mirror');
  };
  const keep = async () =>
    keepMirror(all.port, { name, remote: await remote(), now: () => Date.now(), egress: [] });

  it('[MR1] a session borrows objects from the mirror of its repository and fetches newer ones', async () => {
    const before = await all.session(person, name);
    expect((await before.run('user', `test -e ${MIRROR_FOLDER}`)).exitCode).toBe(1);
    expect(await keep()).toBe('kept');
    const newer = await commit(person, { 'src/later.txt': 'later\n' });
    const { session, run } = await all.session(person, name);
    expect(session.record(await prepareRepository(session.deps))).toEqual(['branch.made']);
    expect(session.git.baseSha).toBe(newer);
    const { stdout } = await run(
      'user',
      `cd ${FOLDER} && cat .git/objects/info/alternates src/later.txt && git rev-parse --is-shallow-repository && git fsck --connectivity-only`,
    );
    expect(stdout).toBe(`${MIRROR_FOLDER}/objects\nlater\nfalse\n`);
    // Nothing inside can change it, not even `root`: other sessions of the repository borrow from the same files.
    for (const user of ['user', 'root'] as const) {
      const attack = `rm -rf ${MIRROR_FOLDER}/objects; echo evil > ${MIRROR_FOLDER}/HEAD; mv ${MIRROR_FOLDER} /tmp/gone; touch ${MIRROR_FOLDER}/evil; git --git-dir=${MIRROR_FOLDER} -c safe.directory=* rev-parse main && test ! -e ${MIRROR_FOLDER}/evil`;
      expect((await run(user, attack)).exitCode).toBe(0);
    }
  });

  it('[MR1] updates fetch new objects only, and rebuild the mirror before its packs accumulate', async () => {
    const packs: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      await commit(person, { 'src/count.txt': `${i}\n` });
      expect(await keep()).toBe('kept');
      if (i !== 1 && i !== 5) continue;
      const { run } = await all.session(person, name);
      const { stdout } = await run(
        'user',
        `ls ${MIRROR_FOLDER}/objects/pack/*.pack | wc -l; git --git-dir=${MIRROR_FOLDER} -c safe.directory=* show main:src/count.txt`,
      );
      const [count = '', newest] = stdout.trim().split('\n');
      packs.push(Number(count));
      expect(newest).toBe(String(i));
    }
    expect(packs).toEqual([3, 2]);
  });

  it('[MR2] one update at a time; a crashed one leaves nothing to clean up', async () => {
    const address = await remote();
    const options = { name, remote: address, now: () => Date.now(), egress: [] };
    // A crashed update leaves only its sandbox, until the sandbox times out.
    expect(
      await all.port.createBuilder({ name, template: 'base', timeoutMs: 3_000, egress: [] }),
    ).toBeDefined();
    expect(await keepMirror(all.port, options)).toBe('busy');
    await vi.waitFor(async () => expect(await keepMirror(all.port, options)).toBe('kept'), {
      timeout: MINUTE_MS,
      interval: 500,
    });
    const many = await Promise.all([1, 2, 3].map(() => keepMirror(all.port, options)));
    expect(many).toContain('kept');
    const { session } = await all.session(person, name);
    expect(session.record(await prepareRepository(session.deps))).toEqual(['branch.made']);
  });

  it('[MR2] a failed update changes nothing: the previous mirror stays', async () => {
    const unknown = 'http://127.0.0.1:7002/gateway/git/x/y/z.git';
    const nowhere = { name, remote: unknown, now: Date.now, egress: [] };
    await expect(keepMirror(all.port, nowhere)).rejects.toThrow('Ship could not bring the mirror');
    const { run } = await all.session(person, name);
    expect((await run('user', `test -s ${MIRROR_FOLDER}/ship-made-at`)).exitCode).toBe(0);
    expect(await keep()).toBe('kept');
  });

  it('[MR3] a mirror has branches and tags only: no saved state of a session, no address, no capability', async () => {
    const { run } = await all.session(person, name);
    const seen = await run(
      'root',
      `cd ${MIRROR_FOLDER} && git for-each-ref --format='%(refname)'; grep -rlaE 'shipcap_|127.0.0.1|${all.token}' . ; ls`,
    );
    expect(seen.stdout).toContain('refs/heads/main\n');
    expect(seen.stdout).not.toContain('refs/ship');
    expect(seen.stdout).not.toMatch(/FETCH_HEAD|^\.\//m);
  });

  it('[MR3] a session of another repository does not get the mirror', async () => {
    const other = await repository(join(all.data, 'other-app'));
    expect(await mirrorTemplate(other)).not.toBe(name);
    const { session, run } = await all.session(other, await mirrorTemplate(other));
    expect((await run('root', `test -e ${MIRROR_FOLDER}`)).exitCode).toBe(1);
    expect(session.record(await prepareRepository(session.deps))).toEqual(['branch.made']);
  });

  it('[MR4] a damaged mirror costs time only', async () => {
    const builder = await all.port.createBuilder({
      name: 'ship-damaged',
      preferred: [name],
      template: 'base',
      timeoutMs: MINUTE_MS,
      egress: [],
    });
    const damage = ['bash', '-c', `rm -rf ${MIRROR_FOLDER}/objects/pack/*`] as const;
    await all.port.run(builder ?? '', { argv: damage, user: 'root', timeoutMs: MINUTE_MS });
    await all.port.capture(builder ?? '', 'ship-damaged');
    await all.port.destroy(builder ?? '');
    const { session, run } = await all.session(person, 'ship-damaged');
    expect(session.record(await prepareRepository(session.deps))).toEqual(['branch.made']);
    const { exitCode } = await run(
      'user',
      `cd ${FOLDER} && git fsck --connectivity-only && test ! -e ${FOLDER}.partial-*`,
    );
    expect(exitCode).toBe(0);
  });

  it('[MR5] only a large repository gets a mirror, and only when its current one is old', async () => {
    const { session, sandboxId } = await all.session(person, name);
    const parts = {
      port: all.port,
      sandboxId,
      forge: {
        repository: async () => ({ ...(await session.deps.forge.repository()), sizeKb: 90_000 }),
      },
      location: person,
      remote: await remote(),
      now: Date.now,
      egress: [],
    };
    expect(await refreshMirror(parts)).toBe('not-due');
    expect(await refreshMirror({ ...parts, now: () => Date.now() + 7 * 3_600_000 })).toBe('kept');
    const bare = await all.session(person);
    expect(
      await refreshMirror({ ...parts, sandboxId: bare.sandboxId, forge: session.deps.forge }),
    ).toBe('not-due');
    expect(await refreshMirror({ ...parts, sandboxId: bare.sandboxId })).toBe('kept');
  });
});
