import type { InstallStep } from '@ship/protocol';
import { type Repository, at, isFilled, stringAt } from './listing.ts';
import { type Programs, isPresent } from './programs.ts';

type NodeManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** The repository's package manager, and how to call it in this sandbox. */
export interface NodeTool {
  manager: NodeManager;
  /** The command without its verb: `pnpm`, or npx with a version when the program is absent. */
  program: string;
  isBerry: boolean;
  lock: string | null;
  /** The file that decided. */
  source: string;
  /** The program is fetched from the registry for each call. */
  isFetched: boolean;
}

const LOCKS: readonly [file: string, manager: NodeManager][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];
const MEMBERS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

/** Null without a package.json that parses. */
export function nodeTool(repository: Repository, programs: Programs): NodeTool | null {
  if (typeof repository.packageJson !== 'object' || repository.packageJson === null) return null;
  const field = /^(npm|pnpm|yarn|bun)@(\d+(?:\.\d+){0,2}[\w.-]*)/.exec(
    stringAt(repository.packageJson, 'packageManager') ?? '',
  );
  const lockOf = (manager: string) =>
    LOCKS.find(([file, of]) => of === manager && repository.has(file))?.[0] ?? null;
  const [lockFile, ofLock] = LOCKS.find(([file]) => repository.has(file)) ?? [null, 'npm' as const];
  const declared = LOCKS.find(([, manager]) => manager === field?.[1])?.[1];
  // A `packageManager` field is outdated when only another manager's lock file exists.
  const isFieldTrue = declared !== undefined && (lockFile === null || lockOf(declared) !== null);
  const manager = isFieldTrue ? declared : ofLock;
  const version = isFieldTrue ? (field?.[2] ?? null) : null;
  const isBerry = manager === 'yarn' && usesBerry(repository, version);
  const lock = lockOf(manager);
  const called = programOf(repository, programs, manager, version, isBerry);
  return { manager, isBerry, lock, source: lock ?? 'package.json', ...called };
}

function usesBerry(repository: Repository, version: string | null): boolean {
  if (version !== null) return !/^[01]\b/.test(version);
  return repository.has('.yarnrc.yml') || /^__metadata:/m.test(repository.text('yarn.lock'));
}

function programOf(
  repository: Repository,
  programs: Programs,
  manager: NodeManager,
  version: string | null,
  isBerry: boolean,
): Pick<NodeTool, 'program' | 'isFetched'> {
  if (manager === 'npm') return { program: 'npm', isFetched: false };
  const own = /^yarnPath:\s*["']?([\w./-]+\.c?js)["']?\s*$/m.exec(
    repository.text('.yarnrc.yml'),
  )?.[1];
  if (isBerry && own !== undefined && !own.includes('..'))
    return { program: `node ${own}`, isFetched: false };
  if (isPresent(programs, manager)) return { program: manager, isFetched: false };
  return {
    program: `npx --yes ${fetched(repository, manager, version, isBerry)}`,
    isFetched: true,
  };
}

function fetched(
  repository: Repository,
  manager: NodeManager,
  version: string | null,
  isBerry: boolean,
): string {
  if (manager === 'pnpm') return `pnpm@${version ?? pnpmFor(repository.text('pnpm-lock.yaml'))}`;
  if (manager === 'bun') return `bun@${version ?? '1'}`;
  return isBerry ? `@yarnpkg/cli-dist@${version ?? '4'}` : `yarn@${version ?? '1.22.22'}`;
}

/** The pnpm version that wrote this lock file format: another one would refuse or rewrite the file. */
function pnpmFor(lock: string): string {
  const format = /^lockfileVersion:\s*['"]?(\d+)/m.exec(lock)?.[1];
  return format === '5' ? '7' : format === '6' ? '8' : format === '9' ? '10' : 'latest';
}

export function isWorkspaceRoot(repository: Repository): boolean {
  return (
    isFilled(at(repository.packageJson, 'workspaces')) || repository.has('pnpm-workspace.yaml')
  );
}

/** A manifest without dependencies needs no install. */
function needsInstall(repository: Repository): boolean {
  return (
    MEMBERS.some((member) => isFilled(at(repository.packageJson, member))) ||
    isWorkspaceRoot(repository)
  );
}

function canRun({ manager, isFetched }: NodeTool, programs: Programs): boolean {
  if (manager === 'bun' && !isFetched) return true;
  return isPresent(programs, manager === 'npm' || isFetched ? 'npm' : 'node');
}

/** Runs the `test` script with the manager that installs; with npm when nothing is installed and the manager is absent. */
export function nodeTest(repository: Repository, programs: Programs): string | null {
  const tool = nodeTool(repository, programs);
  const script = stringAt(repository.packageJson, 'scripts', 'test')?.trim() ?? '';
  // The script that `npm init` writes always fails.
  if (tool === null || script === '' || /no test specified/i.test(script)) return null;
  if (tool.isFetched && !needsInstall(repository)) return 'npm test';
  return `${tool.program} ${tool.manager === 'bun' ? 'run test' : 'test'}`;
}

export function nodeBuild(repository: Repository, programs: Programs): string | null {
  const tool = nodeTool(repository, programs);
  const script = stringAt(repository.packageJson, 'scripts', 'build')?.trim() ?? '';
  if (tool === null || script === '') return null;
  return `${tool.isFetched && !needsInstall(repository) ? 'npm' : tool.program} run build`;
}

export function nodeSteps(
  repository: Repository,
  programs: Programs,
  withScripts: boolean,
): InstallStep[] {
  const tool = nodeTool(repository, programs);
  if (tool === null || !canRun(tool, programs)) return [];
  if (!needsInstall(repository)) return [];
  const command = `${tool.program} ${installWords(tool, withScripts)}`;
  return [{ manager: tool.manager, command, folder: '.', source: tool.source }];
}

function installWords({ manager, lock, isBerry }: NodeTool, withScripts: boolean): string {
  const isLocked = lock !== null;
  const noScripts = withScripts ? '' : ' --ignore-scripts';
  switch (manager) {
    case 'npm':
      return `${isLocked ? 'ci' : 'install --no-package-lock'} --no-audit --no-fund${noScripts}`;
    case 'pnpm':
      return `install ${isLocked ? '--frozen-lockfile' : '--no-lockfile'}${noScripts}`;
    case 'yarn':
      // Yarn Berry has no flag to skip scripts in its frozen mode; it can only skip builds.
      if (isBerry)
        return `install${isLocked ? ' --immutable' : ''}${withScripts ? '' : ' --mode=skip-build'}`;
      return `install ${isLocked ? '--frozen-lockfile' : '--no-lockfile'} --non-interactive${noScripts}`;
    case 'bun':
      return `install ${isLocked ? '--frozen-lockfile' : '--no-save'}${noScripts}`;
  }
}
