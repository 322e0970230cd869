import { alternativeBranchName, branchName, refuseBranchName } from '@ship/core';
import { fail, type GitState, ShipFailure } from '@ship/protocol';
import type { SessionFacts } from './deps.ts';
import type { Forge } from './forge/port.ts';

/** Chooses an unused name for the session's branch. Idempotent: a second call gives the same name. */
export async function chooseBranch(
  forge: Forge,
  session: SessionFacts,
  taken: Promise<{ base: string; defaultBranch: string }>,
): Promise<string> {
  if (session.branch === null) return generatedName(forge, session);
  const wanted = session.branch;
  const refusal = refuseBranchName(wanted, await taken);
  if (refusal !== undefined) throw new ShipFailure(refusal);
  if ((await forge.refSha(`heads/${wanted}`)) !== null)
    fail(
      'branch-taken',
      `The forge already has a branch ${wanted}.`,
      'Choose another name: Ship never works on someone else’s branch.',
    );
  await rejectNameClash(forge, wanted);
  return wanted;
}

async function generatedName(forge: Forge, session: SessionFacts): Promise<string> {
  const name = branchName(session);
  const isTaken = (await forge.refSha(`heads/${name}`)) !== null;
  return isTaken ? alternativeBranchName(name, session.sessionId) : name;
}

/**
 * The name that the work's title suggests now; undefined to keep the current one. Only before the branch is published, and
 * never instead of a name that a person chose.
 */
export async function betterBranch(
  forge: Forge,
  session: SessionFacts,
  { branch, pushedSha }: GitState,
): Promise<string | undefined> {
  if (branch === null || pushedSha !== null || session.branch !== null) return undefined;
  if (branch.startsWith(branchName(session))) return undefined;
  const [name, pushed] = await Promise.all([
    generatedName(forge, session),
    // A push whose result was lost: then the branch has been seen.
    forge.refSha(`heads/${branch}`),
  ]);
  return pushed === null ? name : undefined;
}

/** Branches are files to git: `a` and `a/b` cannot both exist, and the failure would only show at the push. */
async function rejectNameClash(forge: Forge, wanted: string): Promise<void> {
  const parents = wanted
    .split('/')
    .slice(0, -1)
    .map((_, i, parts) => parts.slice(0, i + 1).join('/'));
  let neighbour = (await forge.hasRefsBelow(`heads/${wanted}`)) ? `${wanted}/…` : undefined;
  for (const parent of parents)
    if (neighbour === undefined && (await forge.refSha(`heads/${parent}`)) !== null)
      neighbour = parent;
  if (neighbour !== undefined)
    fail(
      'branch-taken',
      `A branch ${wanted} cannot exist beside ${neighbour}.`,
      'Choose another name for the branch.',
    );
}
