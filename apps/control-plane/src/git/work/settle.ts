/**
 * git as distributions build it tells times by the second only: a file that was checked out in the second in which the
 * index was written may have changed since, for all that git knows. The first `add` then takes thousands of files for
 * changed, and where objects are borrowed from a mirror it stores every one of them anew: more than a second, at the end
 * of the first turn, when somebody waits. So once that second is over the files are compared, while the agent begins its
 * work, and the index is written again. Whoever changed it meanwhile was right: then ours is dropped. As in every view, the
 * settings are ours: the agent may have written its own by now, and they name programs.
 */
export const SETTLE = `folder=$1 settings=$2
sleep 1.1
repo=$folder/.git view=$folder/.git/ship-view-settle-$$
[ -d "$repo" ] && [ ! -L "$repo" ] && mkdir -m 700 "$view" || exit 0
trap 'rm -rf "$view"' EXIT
ln -s "$repo"/{objects,refs,packed-refs,shallow,info} "$view"
printf '%s' "$settings" > "$view/config"
head -c 1000 "$repo/HEAD" > "$view/HEAD"
before=$(stat -c '%i %y' "$repo/index") && cp -p "$repo/index" "$view/index" || exit 0
GIT_DIR=$view GIT_WORK_TREE=$folder GIT_INDEX_FILE=$view/index git update-index -q --refresh --force-write-index
# As git does it: whoever has the lock may put a new index in the place of the old one.
ln "$view/index" "$repo/index.lock" || exit 0
if [ "$(stat -c '%i %y' "$repo/index")" = "$before" ]; then mv -f "$repo/index.lock" "$repo/index"; else rm -f "$repo/index.lock"; fi`;
