const IN_ROOT = [
  '.ship',
  '.devcontainer',
  '.devcontainer.json',
  '.cursor',
  '.github/workflows/copilot-setup-steps.yml',
  '.github/workflows/copilot-setup-steps.yaml',
  'compose.yaml',
  'compose.yml',
  'docker-compose.yaml',
  'docker-compose.yml',
  '.tool-versions',
  'mise.toml',
  '.mise.toml',
  'patches',
  '.npmrc',
  '.yarnrc.yml',
  '.nvmrc',
  '.node-version',
  '.python-version',
  '.ruby-version',
  'rust-toolchain',
  'rust-toolchain.toml',
];
const ANYWHERE = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'pnpm-workspace.yaml',
  'requirements*.txt',
  'requirements*.in',
  'requirements/*.txt',
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'Pipfile',
  'Pipfile.lock',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'Cargo.toml',
  'Cargo.lock',
  'go.mod',
  'go.sum',
  'go.work',
  'Gemfile',
  'Gemfile.lock',
  'composer.json',
  'composer.lock',
  'pom.xml',
  'build.gradle*',
  'settings.gradle*',
  'libs.versions.toml',
  'mix.lock',
  'gradle.lockfile',
  'flake.lock',
];

/**
 * What a setup's result depends on, as git's patterns: its own scripts, lock files, and where there are none the files
 * that list what is needed. Sources are not among them: what a setup builds of those is as old as the result.
 */
export const SETUP_INPUTS: readonly string[] = [
  ...IN_ROOT,
  ...ANYWHERE.map((name) => `:(glob)**/${name}`),
];

/** Below this a copy of all files costs more than it saves, and an agent that waits saves as much. */
export const SETUP_WORTH_MS = 4_000;
/** Even with the same lock files: caches age, and what a script downloads without a lock moves on. */
const MAX_AGE_MS = 14 * 86_400_000;

/** What the control plane recorded of a kept setup when it was made. */
export interface SetupRecord {
  name: string;
  /** Of the setup's command and inputs. */
  key: string;
  madeAt: number;
}

export interface SetupFindings {
  /** The name of the kept setup that the sandbox says it was made from. */
  mark: string | null;
  /** The one that is recorded for this repository and base. */
  kept: SetupRecord | null;
  /** Of the session's own clone. */
  key: string;
}

export type SetupChoice = 'none' | 'reuse' | 'stale';

/** A sandbox only names its kept setup. What went into it, and when, is taken from the control plane's own record. */
export function chooseReuse({ mark, kept, key }: SetupFindings, nowMs: number): SetupChoice {
  if (mark === null) return 'none';
  const isFitting = kept !== null && kept.name === mark && kept.key === key;
  return isFitting && nowMs - kept.madeAt <= MAX_AGE_MS ? 'reuse' : 'stale';
}
