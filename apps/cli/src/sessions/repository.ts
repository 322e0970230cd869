import { existsSync } from 'node:fs';
import { findTop } from '@ship/forge/locate';
import { Failure } from '../failure.ts';
import { fromUsersFolder } from '../where.ts';

/**
 * What the user calls a repository, as the server knows it: a URL as it is, a path as the root of its working copy. Found
 * by its files: git would read the configuration in there, which may say that the root is another folder.
 */
export function repositoryLocation(given: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given) || /^[\w.-]+@[\w.-]+:/.test(given)) return given;
  const folder = fromUsersFolder(given);
  if (!existsSync(folder))
    throw new Failure(
      `there is no folder ${folder}`,
      'Give the path of a git repository, or a URL.',
      2,
    );
  const found = findTop(folder);
  if (found === undefined)
    throw new Failure(
      `${folder} is no git repository`,
      'Make it one with git init and a first commit, or give another path or a URL.',
      2,
    );
  return found.top;
}
