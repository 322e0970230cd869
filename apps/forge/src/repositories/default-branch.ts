import { type Forge, pathsOf } from '../forge.ts';
import { setHead } from '../git/head.ts';
import type { RepositoryRow } from '../store/rows.ts';
import { guessDefaultBranch } from './folders.ts';

/**
 * The first branch pushed to an empty repository becomes its default, as on GitHub; when the default branch is renamed or
 * deleted, another one replaces it. Without this a clone would check out nothing.
 */
export async function followDefaultBranch(
  forge: Forge,
  repository: RepositoryRow,
  tips: ReadonlyMap<string, string>,
): Promise<void> {
  const { default_branch: current } = forge.store.repositories.byId(repository.id);
  if (tips.has(`refs/heads/${current}`)) return;
  const first = [...tips.keys()].find((name) => name.startsWith('refs/heads/'));
  if (first === undefined) return;
  const paths = pathsOf(forge, repository);
  const guess = await guessDefaultBranch(paths);
  const branch = tips.has(`refs/heads/${guess}`) ? guess : first.slice('refs/heads/'.length);
  if (repository.kind === 'bare') setHead(paths.gitDir, branch);
  forge.store.repositories.update(repository.id, { default_branch: branch });
}
