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
 * The files that a setup's result depends on, as git pathspecs: its scripts, lock files and manifests. Sources are not
 * included: a reused setup contains build output of older sources.
 */
export const SETUP_INPUTS: readonly string[] = [
  ...IN_ROOT,
  ...ANYWHERE.map((name) => `:(glob)**/${name}`),
];

/** A faster setup is not kept: copying all files costs more than it saves. */
export const SETUP_WORTH_MS = 4_000;
/** Kept setups expire even with the same lock files: caches and unlocked downloads become outdated. */
const MAX_AGE_MS = 14 * 86_400_000;

/** The control plane's record of a kept setup. */
export interface SetupRecord {
  name: string;
  /** Digest of the setup's command and inputs. */
  key: string;
  madeAt: number;
}

export interface SetupFindings {
  /** The name of the kept setup from which the sandbox claims to be created. */
  mark: string | null;
  /** The recorded kept setup for this repository and base. */
  kept: SetupRecord | null;
  /** The digest for the session's clone. */
  key: string;
}

export type SetupChoice = 'none' | 'reuse' | 'stale';

/** Trusts the sandbox only for the name of its kept setup; inputs and age come from the control plane's record. */
export function chooseReuse({ mark, kept, key }: SetupFindings, nowMs: number): SetupChoice {
  if (mark === null) return 'none';
  const isFitting = kept !== null && kept.name === mark && kept.key === key;
  return isFitting && nowMs - kept.madeAt <= MAX_AGE_MS ? 'reuse' : 'stale';
}
