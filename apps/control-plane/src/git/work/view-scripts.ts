/** A view's operations in the sandbox, one call each: every command there costs a round trip and a process. */

/**
 * A second git folder beside the repository's own, with the same objects and refs, Ship's settings and a separate index. So
 * nothing that the agent wrote into `.git/config` or `.git/hooks` takes effect, and the agent's index stays untouched. The
 * script that follows in the same call can use `head` and `view`; it is skipped while a merge of the agent is unfinished.
 */
export const OPEN = `set -eu
repo=$1 view=$2 settings=$3
shift 3
[ -d "$repo/.git" ] && [ ! -L "$repo/.git" ] && [ -f "$repo/.git/HEAD" ] || exit 3
mkdir -m 700 "$view"
ln -s "$repo"/.git/{objects,refs,packed-refs,shallow,info} "$view"
printf '%s' "$settings" > "$view/config"
head -c 1000 "$repo/.git/HEAD" > "$view/HEAD"
# Preserves times: git uses them to tell which files may have changed within the same moment.
if [ -f "$repo/.git/index" ]; then cp -p "$repo/.git/index" "$view/index"; fi
export GIT_DIR=$view GIT_WORK_TREE=$repo GIT_INDEX_FILE=$view/index
if ids=$(git rev-parse 'HEAD^{commit}' 'HEAD^{tree}' 2>/dev/null); then
  printf '%s\\n' "$ids"
else
  git rev-parse --git-dir > /dev/null 2>&1 || exit 3
  ids=$(git rev-parse --verify --quiet 'HEAD^{commit}' || echo)
  printf '%s\\n' "$ids"
  git rev-parse --verify --quiet 'HEAD^{tree}' || echo
fi
head=\${ids%%$'\\n'*}
{ IFS= read -r line || [ -n "$line" ]; } < "$view/HEAD"
case $line in 'ref: '*) printf '%s\\n' "\${line#ref: }";; *) echo;; esac
if [ -f "$repo/.git/MERGE_HEAD" ]; then head -c 1000 "$repo/.git/MERGE_HEAD"; exit 0; fi
cd "$repo"
set +eu
`;

/**
 * Once the history is complete, git removes the link to `shallow`; the file that it pointed to must go too. Also deletes
 * abandoned views.
 */
export const CLOSE = `repo=$1 view=$2
if [ -d "$view" ] && [ ! -L "$view/shallow" ]; then rm -f "$repo/.git/shallow"; fi
rm -rf "$view"
find "$repo/.git" -maxdepth 1 -name 'ship-view-*' -mmin +30 -exec rm -rf {} + 2>/dev/null || true
`;

/** For the agent's own git; Ship's calls always pass the address. */
export const POINT = `set -eu
config=$1/.git/config remote=$3 branch=$4
set_to() { git config --file "$config" --replace-all "$1" "$2"; }
set_to remote.origin.url "$remote"
set_to "branch.$branch.remote" origin
set_to "branch.$branch.merge" "refs/heads/$branch"
set_to push.default current`;

/** Makes the agent's git show the new state: the branch is checked out, and nothing is staged or unfinished. */
export const ADOPT = `set -eu
repo=$1 view=$2 ref=$3 sha=$4
if [ -n "$sha" ]; then git update-ref "$ref" "$sha"; fi
git symbolic-ref HEAD "$ref"
if [ -f "$view/index" ]; then cp -p "$view/index" "$view/index.new"; mv -f "$view/index.new" "$repo/.git/index"; fi
cp "$view/HEAD" "$view/HEAD.new"; mv -f "$view/HEAD.new" "$repo/.git/HEAD"
cd "$repo/.git" && rm -rf MERGE_HEAD MERGE_MSG MERGE_MODE CHERRY_PICK_HEAD REVERT_HEAD AUTO_MERGE rebase-merge rebase-apply`;

/** A commit on the checked-out branch: `commit-tree` and `ADOPT` in one. */
export const COMMIT = `set -eu
repo=$1 view=$2 ref=$3
shift 3
sha=$(git commit-tree "$@")
set -- "$repo" "$view" "$ref" "$sha"
echo "$sha"
${ADOPT}`;

/**
 * The same with a push, in one call: adopting and reading the log overlap with the push. Prints the commit, the exit code of
 * the push and its output, each with a NUL behind it, then the log. Exit 5: not adopted.
 */
export const COMMIT_AND_PUSH = `set -eu
repo=$1 view=$2 ref=$3 remote=$4 lease=$5 known=$6 pushes=$7 logs=$8
shift 8
push=("\${@:1:pushes}") log=("\${@:pushes + 1:logs}")
shift $((pushes + logs))
sha=$(git commit-tree "$@")
printf '%s\\0' "$sha"
git "\${push[@]}" "$lease" "$remote" "$sha:$ref" > "$view/pushed" &
pushing=$!
(
set -- "$repo" "$view" "$ref" "$sha"
${ADOPT}
) &
adopting=$!
git "\${log[@]}" "$sha" \${known:+"^$known"} -- 2> /dev/null | head -c 200000 > "$view/log" || true
adopted=0 pushed=0
wait "$adopting" || adopted=$?
wait "$pushing" || pushed=$?
if [ "$adopted" -ne 0 ]; then exit 5; fi
printf '%s\\0' "$pushed"
tr -d '\\0' < "$view/pushed"
printf '\\0'
cat "$view/log"`;
