/** A temporary git repository for the agent to work in. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export function temporaryFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `demo-model-${name}-`));
}

/**
 * One folder whose contents are replaced: the agent needs several seconds of CPU time for each new folder, which would
 * dominate the duration of these tests.
 */
export class Repository {
  readonly folder = temporaryFolder('repository');

  constructor() {
    this.git('init', '-q', '-b', 'main');
  }

  /** Replaces all contents with the given files, or with a copy of a folder. */
  replaceContents(contents: Record<string, string> | string): void {
    this.git('checkout', '-q', '--orphan', 'next');
    this.git('rm', '-rfq', '--ignore-unmatch', '.');
    this.git('clean', '-fdxq');
    if (typeof contents === 'string') cpSync(contents, this.folder, { recursive: true });
    else for (const [path, text] of Object.entries(contents)) this.write(path, text);
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', 'first');
    this.git('branch', '-M', 'main');
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Changes since the first commit, as `git status --short` prints them. */
  changes(): string {
    return this.git('status', '--short').trim();
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.com'];
    return execFileSync('git', [...identity, ...args], { cwd: this.folder, encoding: 'utf8' });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }
}
