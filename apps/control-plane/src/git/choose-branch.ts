import { alternativeBranchName, branchName, refuseBranchName } from '@ship/core';
import { fail, type GitState, ShipFailure } from '@ship/protocol';
import type { SessionFacts } from './deps.ts';
import type { Forge } from './forge/port.ts';

/** The name of a session's branch, which nobody else uses. Asked again, it gives the same answer. */
export async function chooseBranch(
  forge: Forge,
  session: SessionFacts,
  taken: Promise<{ base: string; defaultBranch: string }>,
): Promise<string> {
  if (session.branch === null) return nameForUs(forge, session);
  const wish = session.branch;
  const refusal = refuseBranchName(wish, await taken);
  if (refusal !== undefined) throw new ShipFailure(refusal);
  if ((await forge.refSha(`heads/${wish}`)) !== null)
    fail(
      'branch-taken',
      `The forge already has a branch ${wish}.`,
      'Choose another name: Ship never works on somebody else’s branch.',
    );
  await refuseNeighbours(forge, wish);
  return wish;
}

async function nameForUs(forge: Forge, session: SessionFacts): Promise<string> {
  const name = branchName(session);
  const isTaken = (await forge.refSha(`heads/${name}`)) !== null;
  return isTaken ? alternativeBranchName(name, session.sessionId) : name;
}

/**
 * The name that the work's title asks for now; undefined where it is to stay. Only as long as nobody outside has seen the
 * branch, and never a name that a person chose.
 */
export async function betterBranch(
  forge: Forge,
  session: SessionFacts,
  { branch, pushedSha }: GitState,
): Promise<string | undefined> {
  if (branch === null || pushedSha !== null || session.branch !== null) return undefined;
  if (branch.startsWith(branchName(session))) return undefined;
  const [name, pushed] = await Promise.all([
    nameForUs(forge, session),
    // A push of which nobody heard any more: then it has been seen.
    forge.refSha(`heads/${branch}`),
  ]);
  return pushed === null ? name : undefined;
}

/** Branches are files to git: `a` and `a/b` cannot both exist, and it would show only when the work is pushed. */
async function refuseNeighbours(forge: Forge, wish: string): Promise<void> {
  const parents = wish
    .split('/')
    .slice(0, -1)
    .map((_, i, parts) => parts.slice(0, i + 1).join('/'));
  let neighbour = (await forge.hasRefsBelow(`heads/${wish}`)) ? `${wish}/…` : undefined;
  for (const parent of parents)
    if (neighbour === undefined && (await forge.refSha(`heads/${parent}`)) !== null)
      neighbour = parent;
  if (neighbour !== undefined)
    fail(
      'branch-taken',
      `A branch ${wish} cannot exist beside ${neighbour}.`,
      'Choose another name for the branch.',
    );
}
