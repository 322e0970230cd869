import { MARK_SUFFIX, REUSED_SUFFIX } from '../../setups/mark.ts';
import { MADE_AT } from '../mirror/template.ts';

/** How a new repository comes into a sandbox, in one call: every command there costs a round trip and a process. */

/** How `BEGIN` ends where an earlier call got this far. */
export const WAS_THERE = 4;

/** Writes the commit without files that work in an empty repository starts from, as the tip of its base. */
const FIRST = `make_first() {
  git --git-dir="$1/.git" hash-object -t tree -w --stdin < /dev/null > /dev/null
  first_sha=$(printf '%s' "$2" | git --git-dir="$1/.git" hash-object -t commit -w --stdin)
  git --git-dir="$1/.git" -c core.logAllRefUpdates=false update-ref "refs/remotes/origin/$3" "$first_sha"
}
`;
export const MAKE_FIRST = `set -eu
${FIRST}make_first "$@"`;

/**
 * A new clone begins on its branch, for the agent's own git too: what `ADOPT` and `POINT` do, but in a repository that nobody
 * has touched, with a tenth of the processes. Objects are borrowed from the mirror where there is one; a mirror that is
 * damaged costs time and nothing else. Prints how it was cloned, where it begins, if it has a commit, whether it
 * may have submodules or files in Git LFS, and a NUL.
 */
export const BEGIN = `set -eu
${FIRST}repo=$1 branch=$2 place=$3 settle=$4 settings=$5 remote=$6 base=$7 mirror=$8 first=$9 unborn=\${10} plain=\${11} count=\${12}
shift 12
words=("\${@:1:count}")
arrival=("\${@:count + 1}")
if [ -f "$place/.git/HEAD" ] && [ ! -e "$place/.git/ship-warm" ] && [ ! -e "$place.placing" ]; then exit ${WAS_THERE}; fi
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
 * A new clone appears in its place complete or not at all. A folder that the agent has seen already keeps its identity:
 * what watches it would otherwise watch nothing. Where an earlier setup left its results the clone comes among them; if
 * that breaks off or does not fit, they go, and with their mark nobody takes them for whole. What a person put into an empty
 * one that waited stays, under another name where the repository has one like it; a damaged one is moved aside. The script
 * that follows the place is left running; see `SETTLE`.
 */
export const PLACE = `
settle() {
  nohup setsid /bin/bash --noprofile --norc -c "$2" ship "$1" "\${@:3}" > /dev/null 2>&1 < /dev/null &
}
# The git folder last, and some at a time: there may be more than a command takes.
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

/** After `BEGIN` and `PLACE`: what somebody wants to know of the repository that has come, in the same call. */
export const ARRIVED = `
cd "$place"
set +eu
set -- "\${arrival[@]}"
`;
