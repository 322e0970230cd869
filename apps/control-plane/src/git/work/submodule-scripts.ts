/** Checks a submodule out in a sandbox, without obeying anything in its repository: no `.gitmodules`, no hook, no filter. */

/** Lists the submodules of the repository in `$1`: links of its index and entries of `.gitmodules`, with a \\001 between. */
export const LIST_SUBMODULES = `cd "$1" || exit 1
git ls-files -s -z | grep -z '^160000 ' | head -c 400000
printf '\\001'
if [ -f .gitmodules ] && [ ! -L .gitmodules ]; then
  git config --file .gitmodules --no-includes -z --get-regexp '^submodule\\..*\\.(path|url)$' | head -c 400000
fi
exit 0`;

export const EXIT = { link: 10, occupied: 11, noCommit: 12, late: 124 } as const;

/**
 * Fetches one repository into its own git folder and checks its commit out, complete or not at all: an interrupted call leaves
 * nothing that the next one could take for a submodule. A commit of a public host is requested by its id first; the gateway
 * serves whole branches only. Where a saved setup left its results (`reused` exists), the files are merged with them. Arguments
 * after the first eleven are words for git.
 */
export const INITIALIZE = `set -eu
top=$1 path=$2 gitdir=$3 sha=$4 from=$5 origin=$6 name=$7 config=$8 limit=$9 how=\${10} reused=\${11}
shift 11
target=$top/$path
if [ -e "$target/.git" ]; then
  [ "$(git -C "$target" rev-parse --verify --quiet HEAD)" = "$sha" ] && exit 0
  exit ${EXIT.occupied}
fi
part=$target
while [ "$part" != "$top" ]; do
  if [ -L "$part" ]; then exit ${EXIT.link}; fi
  part=\${part%/*}
done
if [ -e "$target" ] && { [ ! -d "$target" ] || [ -n "$(ls -A "$target")" ]; }; then
  if [ ! -d "$target" ] || [ ! -e "$reused" ]; then exit ${EXIT.occupied}; fi
fi
words=("$@")
if [ "$how" = public ]; then
  # The sandbox's own egress proxy, if it has one.
  words+=(-c "http.proxy=$(git config --file /etc/gitconfig http.proxy || true)" -c http.followRedirects=initial)
  if [ -f /run/certificates/ca-certificates.crt ]; then words+=(-c http.sslCAInfo=/run/certificates/ca-certificates.crt); fi
fi
rm -rf "$gitdir"
trap 'rm -rf "$gitdir"' EXIT
mkdir -p "\${gitdir%/*}"
git init --quiet --template= --bare "$gitdir"
fetch() { timeout -k 5 "$limit" git --git-dir="$gitdir" "\${words[@]}" fetch --quiet --no-recurse-submodules "$@"; }
all=('+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*')
if [ "$how" != public ] || ! fetch --depth=1 "$from" "$sha" 2> /dev/null; then fetch "$from" "\${all[@]}"; fi
git --git-dir="$gitdir" cat-file -e "$sha^{commit}" 2> /dev/null || exit ${EXIT.noCommit}
set_to() { git config --file "$gitdir/config" "$1" "$2"; }
set_to core.bare false
set_to core.worktree "$target"
set_to remote.origin.url "$origin"
set_to remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'
mkdir -p "$target"
git --git-dir="$gitdir" --work-tree="$target" "\${words[@]}" checkout --quiet --force --detach "$sha"
printf 'gitdir: %s\\n' "$gitdir" > "$target/.git.new"
mv "$target/.git.new" "$target/.git"
trap - EXIT
if [ -n "$name" ]; then
  git config --file "$config" "submodule.$name.url" "$origin"
  git config --file "$config" "submodule.$name.active" true
fi`;

/**
 * After the working tree moved from one commit to another: a submodule that was at the old commit moves to the new one. One
 * whose new commit the sandbox lacks is emptied: its old commit would otherwise appear as a change by the agent. One with
 * local changes stays.
 */
export const FOLLOW_SUBMODULES = `from=$1 to=$2
git diff-tree -r -z --raw --no-renames --no-abbrev "$from" "$to" | while IFS= read -r -d '' meta && IFS= read -r -d '' path; do
  read -r old_mode new_mode old new _ <<< "\${meta#:}"
  [ "$old_mode" = 160000 ] && [ -f "$path/.git" ] || continue
  (
    unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
    settings=(-c core.hooksPath=/dev/null -c core.fsmonitor=false)
    own() { git -C "$path" "\${settings[@]}" "$@"; }
    [ "$(own rev-parse --verify --quiet HEAD)" = "$old" ] && [ -z "$(own status --porcelain)" ] || exit 0
    if [ "$new_mode" = 160000 ] && own checkout --quiet --detach "$new" 2> /dev/null; then exit 0; fi
    find "$path" -mindepth 1 -delete
  )
done
exit 0`;
