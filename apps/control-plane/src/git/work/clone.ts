import type { ClonePlan, Person } from '@ship/core';
import { SETTING_WORDS } from './settings.ts';
import { failed, type Shell, script } from './shell.ts';

const CLONE_TIMEOUT_MS = 900_000;

export interface CloneWish {
  remote: string;
  folder: string;
  /** Null for a repository without commits. */
  base: string | null;
  plan: ClonePlan;
  /** Commits that the agent makes itself are the user's too. */
  author: Person;
}

/** What interrupted clones left behind goes away. */
const IS_THERE = `if [ -f "$1/.git/HEAD" ] && [ ! -e "$1/.git/ship-warm" ] && [ ! -e "$1.placing" ]; then exit 0; fi
rm -rf "$1".partial-*; exit 1`;
/** A folder that the agent has seen already keeps its identity: what watches it would otherwise watch nothing. */
const PLACE = `set -eu
if [ -e "$2/.git/ship-warm" ] || [ -e "$2.placing" ]; then
  : > "$2.placing"
  find "$2" -mindepth 1 -delete
  find "$1" -mindepth 1 -maxdepth 1 ! -name .git -exec mv -t "$2" -- {} +
  mv "$1/.git" "$2/.git"
  rmdir "$1"
  rm "$2.placing"
  exit 0
fi
if [ -d "$2" ]; then rmdir "$2"; fi
mv -T "$1" "$2"`;
/** Not yet anybody's: a repository without commits, for the agent to look at before it has another. */
const WARM = `set -eu
if [ -e "$1/.git/HEAD" ]; then exit 0; fi
mkdir -p "$1"
git init --quiet --template= "$1"
: > "$1/.git/ship-warm"
: > "$1.rehearsed"`;
const POINT = `set -eu
config=$1/.git/config
set_to() { git config --file "$config" --replace-all "$1" "$2"; }
set_to remote.origin.url "$2"
set_to "branch.$3.remote" origin
set_to "branch.$3.merge" "refs/heads/$3"
set_to push.default current`;
const MISSED = `folder=$1; shift
[ -e "$folder.rehearsed" ] || exit 1
for path in "$@"; do if [ -e "$folder/$path" ]; then exit 0; fi; done
exit 1`;
/** Its own session: it goes on when the command that started it is over. */
const DEEPEN = `folder=$1; shift
nohup setsid git "$@" -C "$folder" fetch --quiet --unshallow origin >/dev/null 2>&1 </dev/null &`;

export async function isThere(shell: Shell, folder: string): Promise<boolean> {
  return (await script(shell, IS_THERE, [folder])).exitCode === 0;
}

/** A name of its own each time: what an interrupted clone left behind is never taken for a repository. */
export function partialFolder(folder: string): string {
  return `${folder}.partial-${crypto.randomUUID()}`;
}

export async function clone(shell: Shell, wish: CloneWish): Promise<void> {
  const { remote, folder, base, plan, author } = wish;
  const argv = [
    'clone',
    '--quiet',
    '--template=',
    '--no-recurse-submodules',
    `--config=user.name=${author.name}`,
    `--config=user.email=${author.email}`,
    ...(base === null ? [] : [`--branch=${base}`]),
    ...(base !== null && plan.kind === 'shallow' ? ['--depth=1', '--single-branch'] : []),
    ...(plan.kind === 'mirror' ? ['--reference-if-able', plan.path] : []),
    '--',
    remote,
    folder,
  ];
  const outcome = await shell.run(['/usr/bin/git', ...SETTING_WORDS, ...argv], {
    timeoutMs: CLONE_TIMEOUT_MS,
  });
  if (outcome.exitCode !== 0) failed('clone the repository', outcome);
}

/** For the agent's own git; ours is always told the address. */
export async function pointOrigin(
  shell: Shell,
  folder: string,
  remote: string,
  branch: string,
): Promise<void> {
  const outcome = await script(shell, POINT, [folder, remote, branch]);
  if (outcome.exitCode !== 0) failed('set the address of the repository', outcome);
}

export async function moveIntoPlace(shell: Shell, from: string, to: string): Promise<void> {
  const outcome = await script(shell, PLACE, [from, to]);
  if (outcome.exitCode !== 0) failed('put the repository into its place', outcome);
}

export async function layWarmFolder(shell: Shell, folder: string): Promise<void> {
  const outcome = await script(shell, WARM, [folder]);
  if (outcome.exitCode !== 0) failed('make a folder ready', outcome);
}

/** Whether the agent saw this folder before the repository was in it, and so missed one of these in it. */
export async function wasMissed(
  shell: Shell,
  folder: string,
  paths: readonly string[],
): Promise<boolean> {
  return (await script(shell, MISSED, [folder, ...paths])).exitCode === 0;
}

export async function deepenInBackground(shell: Shell, folder: string): Promise<void> {
  await script(shell, DEEPEN, [folder, ...SETTING_WORDS]);
}
