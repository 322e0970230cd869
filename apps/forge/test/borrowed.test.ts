/** A session's push must contain every object that is new to the session. */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { apiWorld } from './support/api-world.ts';
import { temporaryFolder } from './support/forge.ts';
import { commit, git, gitFailure } from './support/git.ts';

const world = apiWorld();
const as = (session: string) => ['-c', `http.extraHeader=ship-session: ${session}`];
const [ME, OTHER] = [as('ses_me'), as('ses_other')];
let work: string;

beforeAll(async () => {
  work = join(await temporaryFolder(), 'clone');
  await git(world.work, 'clone', '-q', `${world.forge.gitUrl}/local/app.git`, work);
});
const push = (session: string[], ...refs: string[]) =>
  git(work, ...session, 'push', '-q', 'origin', ...refs);

describe('pushes of a session', () => {
  test('[GG10] new commits, files from old history, moves, deletions and checkpoints are accepted', async () => {
    await push(ME, 'HEAD:refs/heads/one');
    await commit(work, { 'src/a.txt': 'changed\n' });
    await push(ME, 'HEAD:refs/heads/one');
    await commit(work, { 'src/a.txt': 'one\ntwo\nthree\n' }, 'as it was');
    const sha = await git(work, 'rev-parse', 'HEAD');
    await push(ME, 'HEAD:refs/heads/one', 'HEAD~1:refs/ship/ses_me/checkpoint');
    await push(ME, '+HEAD~2:refs/heads/one');
    await push(ME, 'HEAD:refs/heads/one', ':refs/ship/ses_me/checkpoint');
    expect(await git(work, 'ls-remote', 'origin', 'one')).toContain(sha);
  });

  test('[GG10] a client that omits old history by a bitmap is accepted', async () => {
    await commit(work, { 'old.txt': 'from long ago\n' });
    await commit(work, { 'old.txt': 'newer\n' });
    await push(ME, 'HEAD:refs/heads/two');
    await git(work, '-c', 'repack.writeBitmaps=true', 'repack', '-adbq');
    await commit(work, { 'old.txt': 'from long ago\n' }, 'back');
    await push(ME, 'HEAD:refs/heads/two');
    await git(world.work, 'fetch', '-q', 'origin', 'two');
    expect(await git(world.work, 'show', 'FETCH_HEAD:old.txt')).toBe('from long ago');
  });

  test('[GG10] a file of another session’s checkpoint may be pushed again, but not referred to', async () => {
    const theirs = join(await temporaryFolder(), 'theirs');
    await git(world.work, 'clone', '-q', `${world.forge.gitUrl}/local/app.git`, theirs);
    const secret = await commit(theirs, { 'same.txt': 'the same in both\n' }, 'theirs');
    await git(theirs, ...OTHER, 'push', '-q', 'origin', `HEAD:refs/ship/ses_other/checkpoint`);
    await commit(work, { 'same.txt': 'the same in both\n' }, 'mine');
    await push(ME, 'HEAD:refs/heads/three');
    // This client reads the forge's own refs, finds the commit there, and does not send it.
    const four = `${secret}:refs/heads/four`;
    expect(await gitFailure(theirs, ...ME, 'push', 'origin', four)).toContain(
      'objects that it does not contain',
    );
    await git(theirs, ...OTHER, 'push', '-q', 'origin', four);
  });

  test('[GG10] moved files, merges, submodules, tags and trees are accepted', async () => {
    await git(work, 'checkout', '-q', '-b', 'aside', 'HEAD');
    await git(work, 'mv', 'src/a.txt', 'moved.txt');
    await commit(work, {}, 'moved');
    await push(ME, 'HEAD:refs/heads/six');
    await git(work, 'checkout', '-q', '-b', 'joined', 'HEAD~1');
    await commit(work, { 'other.txt': 'other\n' }, 'other');
    await git(work, 'merge', '-q', '--no-edit', 'aside');
    const submodule = '1'.repeat(40);
    await git(work, 'update-index', '--add', '--cacheinfo', `160000,${submodule},vendored`);
    await git(work, 'commit', '-q', '-m', 'a submodule');
    await git(work, 'tag', '-a', '-m', 'a tag', 'marked');
    await push(ME, 'HEAD:refs/heads/six', 'marked:refs/ship/ses_me/tag');
    await push(ME, 'HEAD^{tree}:refs/ship/ses_me/tree');
    const listed = await git(work, 'ls-remote', 'origin');
    for (const name of ['heads/six', 'ship/ses_me/tag', 'ship/ses_me/tree'])
      expect(listed).toContain(`refs/${name}`);
  });

  test('[GG10] a tag cannot refer to another session’s checkpoint', async () => {
    const theirs = join(await temporaryFolder(), 'theirs');
    await git(world.work, 'clone', '-q', `${world.forge.gitUrl}/local/app.git`, theirs);
    await commit(theirs, { 'hidden/secret.txt': 'only theirs\n' }, 'secret');
    await git(theirs, ...OTHER, 'push', '-q', 'origin', 'HEAD:refs/ship/ses_other/secret');
    await git(theirs, 'tag', '-a', '-m', 'a tag', 'stolen');
    // The client sends the tag, and omits the commit that the forge has.
    const failure = gitFailure(theirs, ...ME, 'push', 'origin', 'stolen:refs/ship/ses_me/tag-2');
    expect(await failure).toContain('objects that it does not contain');
  });

  test('[GG10] an invalid session id is refused', async () => {
    for (const name of ['x', 'ses_$(id)', 'ses_a/../b'])
      expect(await gitFailure(work, ...as(name), 'push', 'origin', 'HEAD:five')).toContain('400');
  });
});
