/** Malicious folders, as an attacker could send them to a user: their git configuration names programs. */
import { appendFile, chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Octokit } from 'octokit';
import { temporaryFolder, type TestForge } from '../support/forge.ts';
import { commit, git } from '../support/git.ts';

/** Runs `work` and ignores its failure: an attacked forge may refuse, only the canary counts. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

/** A program that creates a file named by its argument. Every hostile setting names it. */
export class Canary {
  readonly folder: string;
  readonly program: string;

  private constructor(folder: string) {
    this.folder = join(folder, 'ran');
    this.program = join(folder, 'canary.sh');
  }

  static async make(): Promise<Canary> {
    const canary = new Canary(await temporaryFolder());
    await mkdir(canary.folder);
    await writeFile(canary.program, `#!/bin/sh\ntouch "${canary.folder}/\${1:-program}"\nexit 1\n`);
    await chmod(canary.program, 0o755);
    return canary;
  }

  /** A shell command for git's config. */
  command(name: string): string {
    return `${this.program} ${name}`;
  }

  /** Arguments of all runs. */
  ran(): Promise<string[]> {
    return readdir(this.folder);
  }

  async reset(): Promise<void> {
    await rm(this.folder, { recursive: true });
    await mkdir(this.folder);
  }
}

export interface Victim {
  folder: string;
  gitDir: string;
  name: string;
}

/** A repository with `main` checked out, a branch `side`, and a branch `topic` to merge into each. */
export async function victimFolder(base: string, name: string): Promise<Victim> {
  const folder = join(base, name);
  await git(base, 'init', '-q', '-b', 'main', folder);
  await commit(folder, { 'a.txt': 'one\n', 'both.txt': '1\n2\n3\n4\n5\n' }, 'first');
  await git(folder, 'branch', 'side');
  await git(folder, 'checkout', '-q', '-b', 'topic');
  await commit(folder, { 'a.txt': 'two\n', 'both.txt': '1\n2\n3\n4\nfive\n', 'b.txt': 'b\n' });
  await git(folder, 'checkout', '-q', 'main');
  await commit(folder, { 'both.txt': 'one\n2\n3\n4\n5\n' }, 'second');
  return { folder, gitDir: join(folder, '.git'), name };
}

/** Appends text to a config file, without running the user's git. */
export const poison = (victim: Victim, config: string, file = 'config'): Promise<void> =>
  appendFile(join(victim.gitDir, file), config);

/** All documented keys that can make git run a program. */
export function programKeys(canary: Canary): string {
  const run = (name: string) => JSON.stringify(canary.command(name));
  const path = JSON.stringify(canary.program);
  return `
[core]
	fsmonitor = ${path}
	hooksPath = hooks
	sshCommand = ${run('sshCommand')}
	gitProxy = ${path}
	editor = ${run('editor')}
	pager = ${run('pager')}
	askPass = ${path}
	alternateRefsCommand = ${run('alternateRefs')}
	attributesFile = attributes
[credential]
	helper = ${JSON.stringify(`!${canary.command('credential')}`)}
[filter "evil"]
	clean = ${run('clean')}
	smudge = ${run('smudge')}
[diff]
	external = ${run('diffExternal')}
[diff "evil"]
	textconv = ${run('textconv')}
	command = ${run('diffCommand')}
[merge "evil"]
	driver = ${run('mergeDriver')}
[uploadpack]
	packObjectsHook = ${run('packObjectsHook')}
[uploadpackfilter]
	allow = true
[receive]
	procReceiveRefs = refs
	denyCurrentBranch = updateInstead
	autogc = true
[gpg]
	program = ${path}
[commit]
	gpgSign = true
[alias]
	rev-parse = ${JSON.stringify(`!${canary.command('alias')}`)}
	http-backend = ${JSON.stringify(`!${canary.command('alias')}`)}
[gc]
	auto = 1
	recentObjectsHook = ${run('recentObjects')}
[pager]
	diff = ${run('pagerDiff')}
[interactive]
	diffFilter = ${run('diffFilter')}
[sequence]
	editor = ${run('sequenceEditor')}
[http]
	getanyfile = true
	proxy = "ext::${canary.command('proxy')}"
`;
}

/** A remote from which git fetches missing objects. */
export function extRemote(canary: Canary, name: string): string {
  return `
[core]
	repositoryformatversion = 1
[extensions]
	partialClone = evil
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[remote "evil"]
	url = "ext::${canary.command(name)}"
	promisor = true
	uploadpack = ${canary.command('remote-uploadpack')}
`;
}

const hooks = [
  'applypatch-msg',
  'pre-commit',
  'post-commit',
  'pre-merge-commit',
  'post-merge',
  'pre-receive',
  'update',
  'proc-receive',
  'post-receive',
  'post-update',
  'push-to-checkout',
  'reference-transaction',
  'post-checkout',
  'post-index-change',
  'pre-auto-gc',
  'post-rewrite',
  'fsmonitor-watchman',
  'query-watchman',
  'pre-rebase',
  'pre-push',
];

export async function hostileHooks(victim: Victim, canary: Canary): Promise<void> {
  for (const hook of hooks) {
    const file = join(victim.gitDir, 'hooks', hook);
    await writeFile(file, `#!/bin/sh\n${canary.command(`hook-${hook}`)} </dev/null\n`);
    await chmod(file, 0o755);
  }
}

/** A tag at a missing object, which git would fetch from the remote. */
export const missingObject = (victim: Victim): Promise<void> =>
  writeFile(join(victim.gitDir, 'refs/tags/gone'), `${'f'.repeat(40)}\n`);

export async function register(forge: TestForge, path: string, more: { name?: string } = {}) {
  const response = await forge.fetch('/ship/repositories', {
    method: 'POST',
    body: JSON.stringify({ path, ...more }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** All operations of a session and its user on a folder: git transfers, the API, merges. */
export async function useFolder(
  forge: TestForge,
  octokit: Octokit,
  victim: Victim,
): Promise<{ mergedSide: boolean; mergedMain: boolean }> {
  const at = { owner: 'local', repo: victim.name };
  const url = `${forge.gitUrl}/local/${victim.name}.git`;
  const base = await temporaryFolder();
  const clone = join(base, 'clone');
  await register(forge, victim.folder);
  await attempt(() => git(base, 'clone', '-q', '--depth', '1', url, 'shallow'));
  const cloned = await attempt(() => git(base, 'clone', '-q', url, clone));
  if (cloned === undefined) await git(base, 'init', '-q', '-b', 'main', clone);
  else await attempt(() => git(clone, 'fetch', '-q', 'origin', 'refs/heads/*:refs/copies/*'));
  await git(clone, 'checkout', '-q', '-b', 'pushed');
  await commit(clone, { 'a.txt': 'pushed\n', 'p.txt': 'p\n' });
  await attempt(() => git(clone, 'push', '-q', url, 'pushed', 'HEAD:refs/heads/second'));
  await attempt(() => git(clone, 'push', '-q', url, ':refs/heads/second'));
  const pulls: number[] = [];
  for (const target of ['side', 'main']) {
    const input = { ...at, title: target, head: 'topic', base: target };
    const created = await attempt(() => octokit.rest.pulls.create(input));
    if (created !== undefined) pulls.push(created.data.number);
  }
  const basehead = 'main...topic';
  await attempt(() => octokit.rest.repos.compareCommitsWithBasehead({ ...at, basehead }));
  await attempt(() => octokit.rest.repos.getContent({ ...at, path: 'a.txt' }));
  await attempt(() => octokit.rest.repos.getContent({ ...at, path: 'both.txt', ref: 'main' }));
  await attempt(() => octokit.rest.repos.listCommits({ ...at, sha: 'HEAD' }));
  await attempt(() => octokit.rest.git.listMatchingRefs({ ...at, ref: 'tags' }));
  const file = { path: 'new.txt', message: 'new', content: 'bmV3Cg==', branch: 'side' };
  await attempt(() => octokit.rest.repos.createOrUpdateFileContents({ ...at, ...file }));
  const merged: boolean[] = [];
  for (const pull_number of pulls) {
    await attempt(() => octokit.rest.pulls.listFiles({ ...at, pull_number }));
    await attempt(() => octokit.rest.pulls.get({ ...at, pull_number }));
    const result = await attempt(() => octokit.rest.pulls.merge({ ...at, pull_number }));
    merged.push(result?.data.merged === true);
  }
  return { mergedSide: merged[0] === true, mergedMain: merged[1] === true };
}
