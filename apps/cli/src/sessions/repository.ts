import { existsSync } from 'node:fs';
import { findTop } from '@ship/forge/locate';
import { Failure } from '../failure.ts';
import { resolveUserPath } from '../paths.ts';

/**
 * Turns the user's argument into a location for the server: a URL stays unchanged, a path becomes the root of its working copy.
 * The root is found by its files: git would read the untrusted configuration there, which may name another folder.
 */
export function repositoryLocation(given: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given) || /^[\w.-]+@[\w.-]+:/.test(given)) return given;
  const folder = resolveUserPath(given);
  if (!existsSync(folder))
    throw new Failure(
      `there is no folder ${folder}`,
      'Give the path of a git repository, or a URL.',
      2,
    );
  const found = findTop(folder);
  if (found === undefined)
    throw new Failure(
      `${folder} is not a git repository`,
      'Create one with git init and a first commit, or give another path or a URL.',
      2,
    );
  return found.top;
}
