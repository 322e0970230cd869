/** Checks a branch of the user's repository. */
import { git } from '../../../../scripts/testing/git.ts';

/** Describes the differences between the branch and its expected files. */
export async function branchFaults(
  repository: string,
  branch: string | null,
  expected: Readonly<Record<string, string>>,
): Promise<string[]> {
  if (branch === null) return ['it has no branch'];
  const names = await git(repository, 'ls-tree', '-r', '--name-only', branch).catch(() => '');
  const found: Record<string, string> = {};
  for (const name of names.split('\n').filter((each) => each !== ''))
    found[name] = `${await git(repository, 'show', `${branch}:${name}`)}\n`;
  return differences(expected, found);
}

export function differences(
  expected: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])].toSorted();
  return names.flatMap((name) => {
    if (expected[name] === found[name]) return [];
    if (found[name] === undefined) return [`${name} is missing`];
    return expected[name] === undefined ? [`${name} is too many`] : [`${name} is wrong`];
  });
}
