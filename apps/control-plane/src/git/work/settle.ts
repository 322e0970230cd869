/**
 * git as distributions build it tells times by the second only: a file that was checked out in the second in which the
 * index was written may have changed since, for all that git knows. The first `add` then takes thousands of files for
 * changed, and where objects are borrowed from a mirror it stores every one of them anew: more than a second, at the end
 * of the first turn, when somebody waits. So once that second is over the files are compared, while the agent begins its
 * work, and the index is written again. Whoever changed it meanwhile was right: then ours is dropped.
 */
export const SETTLE = `folder=$1
shift
sleep 1.1
cd "$folder/.git" || exit 0
mine=index.ship-$$
trap 'rm -f "$mine" "$mine.lock"' EXIT
before=$(stat -c '%i %y' index) && cp -p index "$mine" || exit 0
export GIT_DIR=$PWD GIT_WORK_TREE=$folder
GIT_INDEX_FILE=$PWD/$mine git "$@" update-index -q --refresh --force-write-index
# As git does it: whoever has the lock may put a new index in the place of the old one.
ln "$mine" index.lock || exit 0
if [ "$(stat -c '%i %y' index)" = "$before" ]; then mv -f index.lock index; else rm -f index.lock; fi`;
