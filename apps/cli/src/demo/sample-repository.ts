import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SAMPLE_REPOSITORY } from '@ship/demo-model/sample-repository';

const IDENTITY = ['-c', 'user.name=Ship demo', '-c', 'user.email=demo@ship.localhost'];
/** The scripted demo model. */
export const DEMO_MODEL = 'demo/demo';

/**
 * Creates a fresh copy of the sample, including its bug, as a new repository. It is not deleted: its branch is the demo's
 * result. A known name returns the existing repository.
 */
export function createSampleRepository(dataFolder: string, name?: string): string {
  const demos = join(dataFolder, 'demo');
  mkdirSync(demos, { recursive: true });
  const named = name === undefined ? undefined : join(demos, `${SAMPLE_REPOSITORY.name}-${name}`);
  if (named !== undefined && existsSync(named)) return named;
  const prefix = named === undefined ? SAMPLE_REPOSITORY.name : `.${basename(named)}`;
  const folder = mkdtempSync(join(demos, `${prefix}-`));
  cpSync(SAMPLE_REPOSITORY.folder, folder, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'commit.gpgsign=false', 'commit', '--quiet', '--message', 'feat: a small bookshelf');
  if (named === undefined) return folder;
  // Atomic rename: a host that dies before leaves nothing that looks finished.
  renameSync(folder, named);
  return named;
}

/** The diff of a branch. */
export function changesOf(folder: string, base: string, branch: string): string {
  return execFileSync(
    'git',
    ['diff', '--no-color', '--no-ext-diff', '--no-textconv', `${base}...${branch}`, '--'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
}
