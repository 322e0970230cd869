import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RepositoryPaths } from './environment.ts';
import { checkRepository } from './open.ts';
import {
  isUserRepository,
  PRIVATE_REFS,
  privateStoreDir,
  repositoryHash,
} from './private-store.ts';
import { text } from './process.ts';
import { gitRefs } from './run.ts';

const CHECKPOINT = /^refs\/ship\/ses_[a-z0-9]{1,40}\/checkpoint$/;
const PULL_HEAD = /^refs\/pull\/(\d{1,9})\/head$/;

/**
 * Moves the refs that earlier versions kept in the user's folder into the private store: objects first, then the refs, then
 * their deletion in the folder, so that a crash at any point repeats the rest. Refs of the same names that the forge did not
 * create stay: `isForgePull` knows the forge's pull requests and their heads. Objects that only head branches of pull
 * requests reach are copied too, as those branches may be deleted later.
 */
export async function migratePrivateRefs(
  paths: RepositoryPaths,
  isForgePull: (number: number, sha: string) => boolean,
  pullBranches: readonly string[],
): Promise<number> {
  if (!isUserRepository(paths)) return 0;
  await checkRepository(paths);
  const fullView = join(paths.neutralDir, `index-whole-${repositoryHash(paths)}`);
  rmSync(fullView, { recursive: true, force: true });
  mkdirSync(fullView, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(
      join(fullView, 'config'),
      '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
    );
    writeFileSync(join(fullView, 'HEAD'), 'ref: refs/heads/main\n');
    for (const name of ['objects', 'refs', 'packed-refs', 'shallow'])
      symlinkSync(join(paths.gitDir, name), join(fullView, name));
    const environment = { GIT_DIR: fullView };
    const format = '--format=%(refname) %(objectname)';
    const namespaces = PRIVATE_REFS.map((name) => `refs/${name}/`);
    const listed = await gitRefs(paths, ['for-each-ref', format, ...namespaces], { environment });
    const shipRefs = text(listed)
      .split('\n')
      .map((line) => line.split(' '))
      .flatMap(([name = '', sha = '']) =>
        isShipRef(name, sha, isForgePull) ? [{ name, sha }] : [],
      );
    if (shipRefs.length === 0) return 0;
    const tips = shipRefs.map(({ sha }) => sha);
    const userRefs = [
      '--not',
      ...pullBranches.map((one) => `--exclude=${one}`),
      '--branches',
      '--tags',
    ];
    const listing = ['rev-list', '--objects', '--no-object-names', ...tips, ...userRefs, '--'];
    const { stdout: input } = await gitRefs(paths, listing, { environment });
    const packing = ['pack-objects', '-q', '--stdout'];
    const { stdout } = await gitRefs(paths, packing, { environment, input });
    const privateStore = { GIT_OBJECT_DIRECTORY: join(privateStoreDir(paths), 'objects') };
    await gitRefs(paths, ['index-pack', '--stdin'], { environment: privateStore, input: stdout });
    // Not with git: it would find the ref in the linked `packed-refs`, with the right value, and write nothing.
    for (const { name, sha } of shipRefs) writeRef(join(privateStoreDir(paths), name), sha);
    const update = ['update-ref', '--no-deref', '-z', '--stdin'];
    const deletions = shipRefs.map(({ name, sha }) => `delete ${name}\0${sha}\0`).join('');
    await gitRefs(paths, update, { environment, input: deletions });
    return shipRefs.length;
  } finally {
    rmSync(fullView, { recursive: true, force: true });
  }
}

function writeRef(file: string, sha: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.lock`, `${sha}\n`);
  renameSync(`${file}.lock`, file);
}

function isShipRef(
  name: string,
  sha: string,
  isForgePull: (number: number, sha: string) => boolean,
): boolean {
  const number = PULL_HEAD.exec(name)?.[1];
  return CHECKPOINT.test(name) || (number !== undefined && isForgePull(Number(number), sha));
}
