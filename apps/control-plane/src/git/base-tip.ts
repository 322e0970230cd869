import { fail } from '@ship/protocol';
import type { Forge } from './forge/port.ts';

type Asked = Pick<Forge, 'owner' | 'name' | 'refSha' | 'hasRefsBelow'>;

/** The newest commit of the base; null in a repository without commits. */
export async function baseTip(forge: Asked, base: string): Promise<string | null> {
  const sha = await forge.refSha(`heads/${base}`);
  if (sha === null && (await forge.hasRefsBelow('heads')))
    fail(
      'base-missing',
      `${forge.owner}/${forge.name} has no branch ${base}.`,
      'Choose another base; it may have been renamed or deleted.',
    );
  return sha;
}

/** For what needs files to look at. */
export async function requireBase(forge: Asked, base: string): Promise<string> {
  return (
    (await baseTip(forge, base)) ??
    fail(
      'base-missing',
      `${forge.owner}/${forge.name} has no commit yet, so there is nothing to set up or to test.`,
      'Make a first commit, or start a session on it: that works without one.',
    )
  );
}
