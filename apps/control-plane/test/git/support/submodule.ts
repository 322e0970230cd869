/** Commits a submodule without git's checks of its name and address, so that tests can use hostile ones. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './git.ts';

interface Named {
  path: string;
  url: string;
  sha: string;
  name?: string;
}

export async function addSubmodule(
  folder: string,
  { path, url, sha, name = path }: Named,
): Promise<void> {
  const section = `[submodule "${name}"]\n\tpath = ${path}\n\turl = ${url}\n`;
  await appendFile(join(folder, '.gitmodules'), section);
  await git(folder, 'update-index', '--add', '--cacheinfo', '160000', sha, path);
  await git(folder, 'add', '.gitmodules');
  await git(folder, 'commit', '-qm', `submodule ${path}`);
}
