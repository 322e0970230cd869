import {
  ENVIRONMENT_FILES,
  type InstallOverride,
  READ_FOR_DETECTION,
  READ_HEADS,
  SETUP_SCRIPT,
  choosePreparation,
  describePlan,
  installPolicy,
} from '@ship/core';
import { type RepositoryPlan, type Settings, fail } from '@ship/protocol';
import { type Forge, requireBase } from '../git/index.ts';

/** Stands for the folder that the repository will have in a sandbox. */
const REPOSITORY = '/home/user/repository';

export interface PlanFacts extends InstallOverride {
  location: string;
  /** Null for the repository's default branch. */
  base: string | null;
  setupCommand: string | null;
  verifyCommand: string | null;
  secretNames: readonly string[];
}

/** Plans from what the forge shows of the base: no sandbox starts, so its programs are not known. */
export async function readRepositoryPlan(
  forge: Pick<
    Forge,
    'owner' | 'name' | 'repository' | 'refSha' | 'hasRefsBelow' | 'folder' | 'file'
  >,
  { install }: Pick<Settings, 'install'>,
  facts: PlanFacts,
): Promise<RepositoryPlan> {
  const base = facts.base ?? (await forge.repository()).defaultBranch;
  const known = await forge.refSha(`heads/${base}`);
  if (known === null && (await forge.hasRefsBelow('heads')))
    fail('not-found', `There is no branch ${base}.`, 'Choose another base branch.');
  const sha = known ?? (await requireBase(forge, base));
  const entries = (await forge.folder('', sha)) ?? [];
  const names = entries.map(({ name, kind }) => (kind === 'folder' ? `${name}/` : name));
  // Reads a file in a folder only where the folder exists: each is a request.
  const isPossible = (path: string) =>
    names.includes(path.includes('/') ? `${path.split('/')[0] ?? ''}/` : path);
  // Patterns would need a listing of the folder; the usual places have none.
  const described = ENVIRONMENT_FILES.filter((path) => !path.includes('*'));
  const wanted = [...READ_FOR_DETECTION, ...READ_HEADS, ...described, SETUP_SCRIPT];
  const texts: Record<string, string> = {};
  const read = async (path: string) => {
    const bytes = await forge.file(path, sha);
    if (bytes instanceof Uint8Array) texts[path] = new TextDecoder().decode(bytes);
  };
  await Promise.all(wanted.filter(isPossible).map(read));
  const policy = installPolicy(install, facts);
  const { setup, plan } = choosePreparation({
    setting: facts.setupCommand,
    hasOwnScript: texts[SETUP_SCRIPT] !== undefined,
    place: { folder: REPOSITORY, location: facts.location, secretNames: facts.secretNames },
    verifySetting: facts.verifyCommand,
    listing: { names, texts },
    programs: null,
    policy,
  });
  const own = setup === null ? [] : [`found ${setup.source} → ${setup.command}`.slice(0, 4000)];
  const lines = [...own, ...describePlan(plan)];
  const { location } = facts;
  const chosen = setup === null ? null : { command: setup.command, source: setup.source };
  return { location, base, setup: chosen, isInstallOn: policy.isOn, plan, lines };
}
