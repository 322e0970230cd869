import type { ClonePlan, Person } from '@ship/core';
import type { FirstCommit } from '../first-commit.ts';
import { MADE_AT } from '../mirror/template.ts';
import { SETTINGS_FILE, SETTING_ARGS } from './settings.ts';
import { SETTLE } from './settle.ts';
import { failed, type Shell, script } from './shell.ts';
import { ARRIVED, BEGIN, CREATE_FIRST, PLACE, ALREADY_THERE } from './place-scripts.ts';
import { POINT } from './view-scripts.ts';

const CLONE_TIMEOUT_MS = 900_000;

export interface CloneSource {
  remote: string;
  /** Null for a repository without commits. */
  base: string | null;
  /** For a repository without commits: the start of its first branch. */
  first?: { commit: FirstCommit; base: string } | undefined;
  /** Commits that the agent makes itself are attributed to the user too. */
  author: Person;
}

export interface CloneOptions extends CloneSource {
  folder: string;
  plan: ClonePlan;
}

/** Removes what interrupted clones left behind. */
const FIND_CHECKOUT = `if [ -f "$1/.git/HEAD" ] && [ ! -e "$1/.git/ship-warm" ] && [ ! -e "$1.placing" ]; then exit 0; fi
rm -rf "$1".partial-*
head -c 20 "$2" 2>/dev/null
exit 1`;
/** A repository without commits that belongs to no session yet: the agent starts in it before the checkout. */
const WARM = `set -eu
if [ -e "$1/.git/HEAD" ]; then exit 0; fi
mkdir -p "$1"
git init --quiet --template= "$1"
: > "$1/.git/ship-warm"
: > "$1.rehearsed"`;
/**
 * Runs in its own process session, so that it continues after the command that started it. Fetches all branches, like a clone
 * from the mirror: a first session must not know less history than later ones. Holds the lock until it has ended.
 */
const DEEPEN = `folder=$1; shift
git "$@" -C "$folder" config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'
exec 9>"$folder/.git/ship-history.lock"
flock 9
nohup setsid git "$@" -C "$folder" fetch --quiet --unshallow origin >/dev/null 2>&1 </dev/null &`;
const AWAIT_HISTORY = `if [ -e "$1/.git/ship-history.lock" ]; then flock -w "$2" "$1/.git/ship-history.lock" true; fi`;

/** Whether the repository is in its place, and the age of the mirror beside it. */
export async function findCheckout(
  shell: Shell,
  folder: string,
  mirror: string,
): Promise<{ exists: boolean; mirrorMadeAtMs: number | null }> {
  const madeAt = `${mirror}/${MADE_AT}`;
  const { exitCode, stdout } = await script(shell, FIND_CHECKOUT, [folder, madeAt]);
  return { exists: exitCode === 0, mirrorMadeAtMs: madeAtOf(stdout) };
}

/** Null when there is no mirror in the sandbox. */
export async function mirrorMadeAt(shell: Shell, mirror: string): Promise<number | null> {
  return madeAtOf((await shell.run(['/usr/bin/head', '-c', '20', `${mirror}/${MADE_AT}`])).stdout);
}

function madeAtOf(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Unique each time: what an interrupted clone left behind must never pass for a repository. */
export function partialFolder(folder: string): string {
  return `${folder}.partial-${crypto.randomUUID()}`;
}

export async function clone(shell: Shell, options: CloneOptions): Promise<void> {
  const words = [...cloneArgs(options), ...planArgs(options), '--', options.remote, options.folder];
  const outcome = await shell.run(['/usr/bin/git', ...words], { timeoutMs: CLONE_TIMEOUT_MS });
  if (outcome.exitCode !== 0) failed('clone the repository', outcome);
}

/** A script that reads facts from a fresh clone; it runs in the same call. */
export interface Arrival {
  text: string;
  args: readonly string[];
  /** Not called when the repository arrived in another way: it may have changed since. */
  onOutput: (stdout: string) => void;
}

export interface CloneTarget {
  branch: string;
  place: string;
  /** Where a bare clone may be, from which objects are borrowed instead of what the plan says. */
  mirror: string;
  arrival: Arrival | undefined;
}

/**
 * Clones a repository without work to restore onto its branch and into its place, in one call. Returns which plan was used, the
 * head, and whether there may be submodules or files in Git LFS; undefined when the repository was already there.
 */
export async function cloneInPlace(
  shell: Shell,
  options: CloneOptions,
  { branch, place, mirror, arrival }: CloneTarget,
): Promise<{ plan: ClonePlan; head: string | null; needsCompletion: boolean } | undefined> {
  const { folder, remote, base, plan, first } = options;
  const words = cloneArgs(options);
  const begins = [first?.commit.text ?? '', first?.base ?? ''];
  const paths = [
    folder,
    branch,
    place,
    SETTLE,
    SETTINGS_FILE,
    remote,
    base ?? '',
    mirror,
    ...begins,
  ];
  const counted = [planArgs(options).join(' '), String(words.length), ...words];
  const text = BEGIN + PLACE + (arrival === undefined ? '' : `${ARRIVED}${arrival.text}\nexit 0`);
  const args = [...paths, ...counted, ...(arrival?.args ?? [])];
  const outcome = await script(shell, text, args, { timeoutMs: CLONE_TIMEOUT_MS });
  if (outcome.exitCode === ALREADY_THERE) return undefined;
  if (outcome.exitCode !== 0) failed('clone the repository', outcome);
  const [result = '', ...output] = outcome.stdout.split('\0');
  const [how, head = '', odd = ''] = result.split(' ');
  arrival?.onOutput(output.join('\0'));
  return {
    plan: how === 'mirror' ? { kind: 'mirror', path: mirror } : plan,
    head: head || null,
    needsCompletion: odd !== '',
  };
}

/** The part of `git clone` that all plans share. */
function cloneArgs({ base, author }: CloneOptions): string[] {
  return [
    ...SETTING_ARGS,
    'clone',
    '--quiet',
    '--template=',
    '--no-recurse-submodules',
    `--config=user.name=${author.name}`,
    `--config=user.email=${author.email}`,
    ...(base === null ? [] : [`--branch=${base}`]),
  ];
}

function planArgs({ base, plan }: CloneOptions): string[] {
  if (plan.kind === 'mirror') return ['--reference-if-able', plan.path];
  return base !== null && plan.kind === 'shallow' ? ['--depth=1', '--single-branch'] : [];
}

export async function pointOrigin(
  shell: Shell,
  folder: string,
  remote: string,
  branch: string,
): Promise<void> {
  const outcome = await script(shell, POINT, [folder, '', remote, branch]);
  if (outcome.exitCode !== 0) failed('set the address of the repository', outcome);
}

/** For a clone of a repository without commits. */
export async function createFirstCommit(
  shell: Shell,
  folder: string,
  { commit, base }: NonNullable<CloneSource['first']>,
): Promise<void> {
  const outcome = await script(shell, CREATE_FIRST, [folder, commit.text, base]);
  if (outcome.exitCode !== 0) failed('make the first commit', outcome);
}

export async function createWarmFolder(shell: Shell, folder: string): Promise<void> {
  const outcome = await script(shell, WARM, [folder]);
  if (outcome.exitCode !== 0) failed('make a folder ready', outcome);
}

/** Waits until the history is there, or for the time limit: a huge history arrives while the agent works. */
export async function awaitHistory(shell: Shell, folder: string, limitMs: number): Promise<void> {
  await script(shell, AWAIT_HISTORY, [folder, String(Math.ceil(limitMs / 1000))]);
}

export async function deepenInBackground(shell: Shell, folder: string): Promise<void> {
  await script(shell, DEEPEN, [folder, ...SETTING_ARGS]);
}
