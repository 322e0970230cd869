import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Place } from './environment.ts';
import { checkRepository } from './open.ts';
import { isForeign, OWN_REFS, ownDir, placeHash } from './own-store.ts';
import { text } from './process.ts';
import { gitRefs } from './run.ts';

const SAVED_STATE = /^refs\/ship\/ses_[a-z0-9]{1,40}\/checkpoint$/;
const PULL_HEAD = /^refs\/pull\/(\d{1,9})\/head$/;

/**
 * Earlier versions kept their refs in the user's folder. They are moved into the forge's own store: objects first, then
 * the refs there, then their deletion in the folder, so that a crash at any point repeats the rest. Refs of the same
 * names that the forge did not make stay: `isOurPull` says which pull requests are the forge's, and at which head. Branches of
 * pull requests may be deleted later, so what they reach is copied too.
 */
export async function adoptOwnRefs(
  place: Place,
  isOurPull: (number: number, sha: string) => boolean,
  pullBranches: readonly string[],
): Promise<number> {
  if (!isForeign(place)) return 0;
  await checkRepository(place);
  const whole = join(place.neutralDir, `index-whole-${placeHash(place)}`);
  rmSync(whole, { recursive: true, force: true });
  mkdirSync(whole, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(whole, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
    writeFileSync(join(whole, 'HEAD'), 'ref: refs/heads/main\n');
    for (const name of ['objects', 'refs', 'packed-refs', 'shallow'])
      symlinkSync(join(place.gitDir, name), join(whole, name));
    const environment = { GIT_DIR: whole };
    const format = '--format=%(refname) %(objectname)';
    const namespaces = OWN_REFS.map((name) => `refs/${name}/`);
    const listed = await gitRefs(place, ['for-each-ref', format, ...namespaces], { environment });
    const ours = text(listed)
      .split('\n')
      .map((line) => line.split(' '))
      .flatMap(([name = '', sha = '']) => (isOurs(name, sha, isOurPull) ? [{ name, sha }] : []));
    if (ours.length === 0) return 0;
    const tips = ours.map(({ sha }) => sha);
    const theirs = [
      '--not',
      ...pullBranches.map((one) => `--exclude=${one}`),
      '--branches',
      '--tags',
    ];
    const listing = ['rev-list', '--objects', '--no-object-names', ...tips, ...theirs, '--'];
    const { stdout: input } = await gitRefs(place, listing, { environment });
    const packing = ['pack-objects', '-q', '--stdout'];
    const { stdout } = await gitRefs(place, packing, { environment, input });
    const own = { GIT_OBJECT_DIRECTORY: join(ownDir(place), 'objects') };
    await gitRefs(place, ['index-pack', '--stdin'], { environment: own, input: stdout });
    // Not by git: through the link to `packed-refs` it would find the ref there, with the right value, and write nothing.
    for (const { name, sha } of ours) writeRef(join(ownDir(place), name), sha);
    const update = ['update-ref', '--no-deref', '-z', '--stdin'];
    const gone = ours.map(({ name, sha }) => `delete ${name}\0${sha}\0`).join('');
    await gitRefs(place, update, { environment, input: gone });
    return ours.length;
  } finally {
    rmSync(whole, { recursive: true, force: true });
  }
}

function writeRef(file: string, sha: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.lock`, `${sha}\n`);
  renameSync(`${file}.lock`, file);
}

function isOurs(
  name: string,
  sha: string,
  isOurPull: (number: number, sha: string) => boolean,
): boolean {
  const number = PULL_HEAD.exec(name)?.[1];
  return SAVED_STATE.test(name) || (number !== undefined && isOurPull(Number(number), sha));
}
