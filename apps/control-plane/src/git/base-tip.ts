import { fail } from '@ship/protocol';
import type { Forge } from './forge/port.ts';

type ForgeRefs = Pick<Forge, 'owner' | 'name' | 'refSha' | 'hasRefsBelow'>;

/** The newest commit of the base; null in a repository without commits. */
export async function baseTip(forge: ForgeRefs, base: string): Promise<string | null> {
  const sha = await forge.refSha(`heads/${base}`);
  if (sha === null && (await forge.hasRefsBelow('heads')))
    fail(
      'base-missing',
      `${forge.owner}/${forge.name} has no branch ${base}.`,
      'Choose another base; it may have been renamed or deleted.',
    );
  return sha;
}

/** For callers that need files to work with. */
export async function requireBase(forge: ForgeRefs, base: string): Promise<string> {
  return (
    (await baseTip(forge, base)) ??
    fail(
      'base-missing',
      `${forge.owner}/${forge.name} has no commit yet, so there is nothing to set up or to test.`,
      'Make a first commit, or start a session on it: that works without one.',
    )
  );
}
