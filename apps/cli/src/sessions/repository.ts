import { type StdioOptions, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Failure } from '../failure.ts';
import { fromUsersFolder } from '../where.ts';

/** What the user calls a repository, as the server knows it: a URL as it is, a path as the root of its working copy. */
export function repositoryLocation(given: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given) || /^[\w.-]+@[\w.-]+:/.test(given)) return given;
  const folder = fromUsersFolder(given);
  if (!existsSync(folder))
    throw new Failure(`there is no folder ${folder}`, 'Give a path or a URL with --repo.', 2);
  try {
    const isBare = revParse(folder, '--is-bare-repository') === 'true';
    return revParse(folder, isBare ? '--absolute-git-dir' : '--show-toplevel');
  } catch {
    throw new Failure(
      `${folder} is no git repository`,
      'Make it one with git init and a first commit, or give another with --repo.',
      2,
    );
  }
}

function revParse(cwd: string, what: string): string {
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
  return execFileSync('git', ['rev-parse', what], { cwd, encoding: 'utf8', stdio }).trim();
}
