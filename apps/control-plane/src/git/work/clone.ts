import type { ClonePlan, Person } from '@ship/core';
import type { FirstCommit } from '../first-commit.ts';
import { MADE_AT } from '../mirror/template.ts';
import { SETTINGS_FILE, SETTING_WORDS } from './settings.ts';
import { SETTLE } from './settle.ts';
import { failed, type Shell, script } from './shell.ts';
import { ARRIVED, BEGIN, MAKE_FIRST, PLACE, WAS_THERE } from './place-scripts.ts';
import { POINT } from './view-scripts.ts';

const CLONE_TIMEOUT_MS = 900_000;

export interface CloneSource {
  remote: string;
  /** Null for a repository without commits. */
  base: string | null;
  /** For a repository without commits: where its first branch begins. */
  first?: { commit: FirstCommit; base: string } | undefined;
  /** Commits that the agent makes itself are the user's too. */
  author: Person;
}

export interface CloneOptions extends CloneSource {
  folder: string;
  plan: ClonePlan;
}

/** What interrupted clones left behind goes away. */
const IS_THERE = `if [ -f "$1/.git/HEAD" ] && [ ! -e "$1/.git/ship-warm" ] && [ ! -e "$1.placing" ]; then exit 0; fi
rm -rf "$1".partial-*
head -c 20 "$2" 2>/dev/null
exit 1`;
/** Not yet anybody's: a repository without commits, for the agent to look at before it has another. */
const WARM = `set -eu
if [ -e "$1/.git/HEAD" ]; then exit 0; fi
mkdir -p "$1"
git init --quiet --template= "$1"
: > "$1/.git/ship-warm"
: > "$1.rehearsed"`;
/**
 * Its own session: it goes on when the command that started it is over. All branches, as in a clone from the mirror: a
 * first session must not know less of the history than those after it. The lock is held until it has ended.
 */
const DEEPEN = `folder=$1; shift
git "$@" -C "$folder" config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'
exec 9>"$folder/.git/ship-history.lock"
flock 9
nohup setsid git "$@" -C "$folder" fetch --quiet --unshallow origin >/dev/null 2>&1 </dev/null &`;
const AWAIT_HISTORY = `if [ -e "$1/.git/ship-history.lock" ]; then flock -w "$2" "$1/.git/ship-history.lock" true; fi`;

/** Whether the repository is in its place, and when the mirror beside it was made. */
export async function lookAround(
  shell: Shell,
  folder: string,
  mirror: string,
): Promise<{ isThere: boolean; mirrorMadeAtMs: number | null }> {
  const madeAt = `${mirror}/${MADE_AT}`;
  const { exitCode, stdout } = await script(shell, IS_THERE, [folder, madeAt]);
  return { isThere: exitCode === 0, mirrorMadeAtMs: madeAtOf(stdout) };
}

/** Null when there is no mirror in the sandbox. */
export async function mirrorMadeAt(shell: Shell, mirror: string): Promise<number | null> {
  return madeAtOf((await shell.run(['/usr/bin/head', '-c', '20', `${mirror}/${MADE_AT}`])).stdout);
}

function madeAtOf(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** A name of its own each time: what an interrupted clone left behind is never taken for a repository. */
export function partialFolder(folder: string): string {
  return `${folder}.partial-${crypto.randomUUID()}`;
}

export async function clone(shell: Shell, wish: CloneOptions): Promise<void> {
  const words = [...cloneWords(wish), ...planWords(wish), '--', wish.remote, wish.folder];
  const outcome = await shell.run(['/usr/bin/git', ...words], { timeoutMs: CLONE_TIMEOUT_MS });
  if (outcome.exitCode !== 0) failed('clone the repository', outcome);
}

/** What is to be known of a repository as it came: a script that runs in it, in the call that brings it. */
export interface Arrival {
  text: string;
  args: readonly string[];
  /** Not called when the repository came in another way: it may not be as it was. */
  told: (stdout: string) => void;
}

export interface Beginning {
  branch: string;
  place: string;
  /** Where a bare clone may be, from which objects are borrowed instead of what the plan says. */
  mirror: string;
  arrival: Arrival | undefined;
}

/**
 * A clone without anything to be brought back: on its branch and in its place by the same call. Says by which plan it came and
 * where it begins, and whether it may have submodules or files in Git LFS; undefined when it was there.
 */
export async function cloneInPlace(
  shell: Shell,
  wish: CloneOptions,
  { branch, place, mirror, arrival }: Beginning,
): Promise<{ plan: ClonePlan; head: string | null; isOdd: boolean } | undefined> {
  const { folder, remote, base, plan, first } = wish;
  const words = cloneWords(wish);
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
  const counted = [planWords(wish).join(' '), String(words.length), ...words];
  const text = BEGIN + PLACE + (arrival === undefined ? '' : `${ARRIVED}${arrival.text}\nexit 0`);
  const args = [...paths, ...counted, ...(arrival?.args ?? [])];
  const outcome = await script(shell, text, args, { timeoutMs: CLONE_TIMEOUT_MS });
  if (outcome.exitCode === WAS_THERE) return undefined;
  if (outcome.exitCode !== 0) failed('clone the repository', outcome);
  const [came = '', ...said] = outcome.stdout.split('\0');
  const [how, head = '', odd = ''] = came.split(' ');
  arrival?.told(said.join('\0'));
  return {
    plan: how === 'mirror' ? { kind: 'mirror', path: mirror } : plan,
    head: head || null,
    isOdd: odd !== '',
  };
}

/** `git clone` up to what differs between plans. */
function cloneWords({ base, author }: CloneOptions): string[] {
  return [
    ...SETTING_WORDS,
    'clone',
    '--quiet',
    '--template=',
    '--no-recurse-submodules',
    `--config=user.name=${author.name}`,
    `--config=user.email=${author.email}`,
    ...(base === null ? [] : [`--branch=${base}`]),
  ];
}

function planWords({ base, plan }: CloneOptions): string[] {
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

/** Into a clone of a repository without commits. */
export async function makeFirst(
  shell: Shell,
  folder: string,
  { commit, base }: NonNullable<CloneSource['first']>,
): Promise<void> {
  const outcome = await script(shell, MAKE_FIRST, [folder, commit.text, base]);
  if (outcome.exitCode !== 0) failed('make the first commit', outcome);
}

export async function layWarmFolder(shell: Shell, folder: string): Promise<void> {
  const outcome = await script(shell, WARM, [folder]);
  if (outcome.exitCode !== 0) failed('make a folder ready', outcome);
}

/** Until the history is there, or the time is over: a huge one goes on coming while the agent works. */
export async function awaitHistory(shell: Shell, folder: string, limitMs: number): Promise<void> {
  await script(shell, AWAIT_HISTORY, [folder, String(Math.ceil(limitMs / 1000))]);
}

export async function deepenInBackground(shell: Shell, folder: string): Promise<void> {
  await script(shell, DEEPEN, [folder, ...SETTING_WORDS]);
}
