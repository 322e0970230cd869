import type { EnvironmentPlan, InstallStep, ToolchainNeed } from '@ship/protocol';
import { Repository, type RepositoryListing, quoted } from './listing.ts';
import { isWorkspaceRoot, nodeSteps, nodeTool } from './node-plan.ts';
import { otherSteps } from './other-plans.ts';
import type { Programs } from './programs.ts';
import { VENV, pythonSteps } from './python-plan.ts';
import { toolchainNeeds } from './toolchains.ts';
import { detectVerifyCommand } from './verify-command.ts';

export interface PlanInput {
  listing: RepositoryListing;
  programs: Programs;
  /** The verify command of the settings. */
  verifySetting: string | null;
  /** Whether Ship installs dependencies here. False where the repository has its own setup, or where an install failed. */
  isInstalled: boolean;
  /** Whether dependencies may run their own install scripts. */
  withScripts: boolean;
}

/** Plans how a repository is prepared and tested, from its files and the sandbox's programs. */
export function planEnvironment(input: PlanInput): EnvironmentPlan {
  const { listing, programs, verifySetting, isInstalled, withScripts } = input;
  const repository = new Repository(listing);
  const python = isInstalled ? pythonSteps(repository, programs) : [];
  const install = isInstalled
    ? [
        ...nodeSteps(repository, programs, withScripts),
        ...python,
        ...otherSteps(repository, programs, withScripts),
      ]
    : [];
  return {
    install,
    verify: detectVerifyCommand(verifySetting, listing, programs, python.length > 0),
    toolchains: toolchainNeeds(repository, programs),
    notes: notes(repository, programs, install),
  };
}

/** All steps as one shell command. */
export function installCommand(steps: readonly InstallStep[]): string {
  return steps
    .map(({ folder, command }) => (folder === '.' ? command : `cd ${quoted(folder)} && ${command}`))
    .map((line) => (steps.length === 1 ? line : `(${line}\n)`))
    .join(' && ');
}

export function missingTools({ toolchains }: Pick<EnvironmentPlan, 'toolchains'>): ToolchainNeed[] {
  return toolchains.filter(({ status }) => status === 'missing');
}

function notes(
  repository: Repository,
  programs: Programs,
  install: readonly InstallStep[],
): string[] {
  const tool = nodeTool(repository, programs);
  const managers = new Set(install.map(({ manager }) => manager));
  const isNode = tool !== null && managers.has(tool.manager);
  return [
    ...(isNode && isWorkspaceRoot(repository)
      ? ['One install in the root covers all packages of the workspace.']
      : []),
    ...(isNode && tool.isFetched
      ? [`${tool.manager} is not in the sandbox: npm fetches it for each call.`]
      : []),
    ...(install.some(({ command }) => command.includes(VENV))
      ? [`Python packages go into ${VENV} in the repository.`]
      : []),
    ...(repository.has('uv.lock') && !managers.has('uv') && managers.has('pip')
      ? [
          'uv is not in the sandbox: pip installs the newest matching versions, not those of uv.lock.',
        ]
      : []),
  ];
}
