import { describe, expect, it } from 'vitest';
import { readRepositoryPlan } from './read-plan.ts';

/** A forge with a branch `main`. */
const forgeWith = (files: Record<string, string>) => ({
  repository: async () => ({ defaultBranch: 'main', isArchived: false, canPush: true, sizeKb: 1 }),
  owner: 'local',
  name: 'app',
  refSha: async (ref: string) => (ref === 'heads/main' ? 'a'.repeat(40) : null),
  hasRefsBelow: async () => true,
  folder: async () =>
    [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''))].map((name) => ({
      name,
      kind: Object.hasOwn(files, name) ? ('file' as const) : ('folder' as const),
      sizeBytes: null,
    })),
  file: async (path: string) =>
    files[path] === undefined ? undefined : new TextEncoder().encode(files[path]),
});
const facts = {
  location: '/code/app',
  base: null,
  setupCommand: null,
  verifyCommand: null,
  installDependencies: null,
  installScripts: null,
  secretNames: [],
};
const settings = { install: { dependencies: true, scripts: true } };

describe('plan of a repository from its forge', () => {
  it('[EN6] a setup of the repository takes precedence over the install, also one in a folder', async () => {
    const files = { 'requirements.txt': 'a\n', '.ship/setup.sh': 'true\n' };
    const found = await readRepositoryPlan(forgeWith(files), settings, facts);
    expect(found.setup?.command).toBe('bash .ship/setup.sh');
    expect(found.plan.install).toEqual([]);
    expect(found.lines[0]).toBe('found .ship/setup.sh → bash .ship/setup.sh');
    const plain = { 'requirements.txt': 'a\n', 'requirements/dev.txt': 'pytest\n' };
    const { plan } = await readRepositoryPlan(forgeWith(plain), settings, facts);
    expect(plan.install[0]?.command).toMatch(
      /-r requirements\.txt -r requirements\/dev\.txt pytest$/,
    );
  });

  it('[EN6] reports a branch that does not exist', async () => {
    const asked = readRepositoryPlan(forgeWith({}), settings, { ...facts, base: 'nope' });
    await expect(asked).rejects.toMatchObject({ error: { code: 'not-found' } });
    const empty = { ...forgeWith({}), refSha: async () => null, hasRefsBelow: async () => false };
    await expect(readRepositoryPlan(empty, settings, facts)).rejects.toMatchObject({
      error: { code: 'base-missing', message: expect.stringContaining('no commit yet') as string },
    });
  });
});
