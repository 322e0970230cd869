import { MARK_SUFFIX, REUSED_SUFFIX } from '../../setups/mark.ts';
import { MADE_AT } from '../mirror/template.ts';

/** Puts a new repository into a sandbox in one call: every command there costs a round trip and a process. */

/** The exit code of `BEGIN` where an earlier call got this far. */
export const ALREADY_THERE = 4;

/** Writes the commit without files that work in an empty repository starts from, as the tip of its base. */
const FIRST = `make_first() {
  git --git-dir="$1/.git" hash-object -t tree -w --stdin < /dev/null > /dev/null
  first_sha=$(printf '%s' "$2" | git --git-dir="$1/.git" hash-object -t commit -w --stdin)
  git --git-dir="$1/.git" -c core.logAllRefUpdates=false update-ref "refs/remotes/origin/$3" "$first_sha"
}
`;
export const CREATE_FIRST = `set -eu
${FIRST}make_first "$@"`;

/**
 * Puts a new clone on its branch, for the agent's own git too: the effect of `ADOPT` and `POINT` in an untouched repository,
 * with a tenth of the processes. Borrows objects from the mirror where there is one; a damaged mirror costs only time. Prints
 * how it was cloned, the head, if it has a commit, whether it may have submodules or files in Git LFS, and a NUL.
 */
export const BEGIN = `set -eu
${FIRST}repo=$1 branch=$2 place=$3 settle=$4 settings=$5 remote=$6 base=$7 mirror=$8 first=$9 unborn=\${10} plain=\${11} count=\${12}
shift 12
words=("\${@:1:count}")
arrival=("\${@:count + 1}")
if [ -f "$place/.git/HEAD" ] && [ ! -e "$place/.git/ship-warm" ] && [ ! -e "$place.placing" ]; then exit ${ALREADY_THERE}; fi
for left in "$place".partial-*; do if [ -e "$left" ]; then rm -rf "$left"; fi; done
how=plain
if [ -f "$mirror/${MADE_AT}" ]; then
  if git "\${words[@]}" --reference-if-able "$mirror" -- "$remote" "$repo"; then how=mirror; else rm -rf "$repo"; fi
fi
if [ "$how" = plain ]; then git "\${words[@]}" $plain -- "$remote" "$repo"; fi
head=
if [ -n "$base" ] || git --git-dir="$repo/.git" rev-parse --verify --quiet 'HEAD^{commit}' > /dev/null; then
  git --git-dir="$repo/.git" -c core.logAllRefUpdates=false update-ref "refs/heads/$branch" HEAD
  { read -r head < "$repo/.git/refs/heads/$branch"; } 2> /dev/null || head=$(git --git-dir="$repo/.git" rev-parse HEAD)
elif [ -n "$first" ]; then
  make_first "$repo" "$first" "$unborn"
  head=$first_sha
  git --git-dir="$repo/.git" -c core.logAllRefUpdates=false update-ref "refs/heads/$branch" "$head"
fi
odd=
has_lfs() {
  (cd "$repo" && git ls-files -z -- .gitattributes '*/.gitattributes' | xargs -0 -r grep -ls 'filter=lfs' --) | grep -q .
}
if [ -f "$repo/.gitmodules" ] || has_lfs; then odd=odd; fi
printf '%s %s %s\\0' "$how" "$head" "$odd"
printf 'ref: refs/heads/%s\\n' "$branch" > "$repo/.git/HEAD"
name=\${branch//\\"/\\\\\\"}
printf '[push]\\n\\tdefault = current\\n[branch "%s"]\\n\\tremote = origin\\n\\tmerge = "refs/heads/%s"\\n' "$name" "$name" >> "$repo/.git/config"
set -- "$repo" '' '' "$branch" "$place" "$settle" "$settings"`;

/**
 * Moves a new clone to its place, complete or not at all. A folder that the agent has already seen keeps its identity: file
 * watchers on it would otherwise stop seeing changes. Where an earlier setup left its results, the clone is merged with them;
 * if that is interrupted or does not fit, they are deleted, and the missing mark shows that they are incomplete. Files that a
 * person put into a prepared empty folder stay, renamed where the repository has the same path; a damaged folder is moved
 * aside. The script that follows the place keeps running; see `SETTLE`.
 */
export const PLACE = `
settle() {
  nohup setsid /bin/bash --noprofile --norc -c "$2" ship "$1" "\${@:3}" > /dev/null 2>&1 < /dev/null &
}
# The git folder last, and in batches: there may be more entries than a command takes.
move_all() {
  local entry entries=()
  for entry in "$1"/*; do if [ "$entry" != "$1/.git" ]; then entries+=("$entry"); fi; done
  entries+=("$1/.git")
  for ((at = 0; at < \${#entries[@]}; at += 1000)); do mv -t "$2" -- "\${entries[@]:at:1000}"; done
}
put() {
  if [ -e "$5${MARK_SUFFIX}" ] && [ ! -e "$5.placing" ]; then
    : > "$5.placing"
    mv "$5${MARK_SUFFIX}" "$5.joining"
    rm -rf "$5/.git"
    mv "$1/.git" "$1.git"
    if cp -a --link --remove-destination -- "$1/." "$5/" 2>/dev/null; then
      rm -rf "$1"
      mv "$1.git" "$5/.git"
      git --git-dir="$5/.git" --work-tree="$5" update-index -q --refresh || true
      mv "$5.joining" "$5${REUSED_SUFFIX}"
      rm "$5.placing"
      return 0
    fi
    mv "$1.git" "$1/.git"
  fi
  if [ -e "$5.joining" ]; then
    find "$5" -mindepth 1 -delete
    rm "$5.joining"
  fi
  if [ -d "$5" ] && [ ! -e "$5/.git/ship-warm" ] && [ ! -e "$5.placing" ]; then
    rmdir "$5" 2>/dev/null || mv -T "$5" "$5.before-$(date +%s%N)"
  fi
  if [ ! -d "$5" ]; then
    mv -T "$1" "$5"
    return 0
  fi
  local backup=numbered found
  if [ -e "$5.placing" ]; then backup=none; fi
  : > "$5.placing"
  rm -rf "$5/.git"
  found=("$5"/*)
  if [ "\${#found[@]}" -eq 0 ]; then
    move_all "$1" "$5"
  else
    mv "$1/.git" "$1.git"
    cp -a --link --remove-destination --backup="$backup" -- "$1/." "$5/"
    mv "$1.git" "$5/.git"
    git --git-dir="$5/.git" --work-tree="$5" update-index -q --refresh || true
  fi
  rm -rf "$1" "$5.placing"
}
shopt -s dotglob nullglob
put "$@"
shopt -u dotglob nullglob
settle "\${@:5}"`;

/** After `BEGIN` and `PLACE`: runs the caller's script in the new clone, in the same call. */
export const ARRIVED = `
cd "$place"
set +eu
set -- "\${arrival[@]}"
`;
