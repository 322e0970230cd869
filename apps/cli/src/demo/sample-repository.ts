import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLE_REPOSITORY } from '@ship/demo-model';

const IDENTITY = ['-c', 'user.name=Ship demo', '-c', 'user.email=demo@ship.localhost'];

/** A fresh copy of the sample, with its fault, as a repository of its own. It stays: its branch is what the demo is about. */
export function makeSampleRepository(dataFolder: string): string {
  const demos = join(dataFolder, 'demo');
  mkdirSync(demos, { recursive: true });
  const folder = mkdtempSync(join(demos, `${SAMPLE_REPOSITORY.name}-`));
  cpSync(SAMPLE_REPOSITORY.folder, folder, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'commit.gpgsign=false', 'commit', '--quiet', '--message', 'feat: a small bookshelf');
  return folder;
}

/** What a branch changed, as git shows it. */
export function changesOf(folder: string, base: string, branch: string): string {
  return execFileSync('git', ['diff', '--no-color', `${base}...${branch}`, '--'], {
    cwd: folder,
    encoding: 'utf8',
  });
}
