/**
 * Rewrites the index a second after a checkout. Distribution builds of git store times in whole seconds: a file that was
 * checked out in the second in which the index was written may have changed since, for all that git knows. The first `add`
 * would then treat thousands of files as changed, and where objects are borrowed from a mirror, store every one of them again:
 * more than a second at the end of the first turn, while a person waits. So once that second is over, the files are compared
 * while the agent starts. An index that was changed meanwhile wins over this one. As in every view, the settings are Ship's:
 * the agent may have written its own by now, and they name programs.
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
# Follows git's locking: the holder of the lock may replace the index.
ln "$view/index" "$repo/index.lock" || exit 0
if [ "$(stat -c '%i %y' "$repo/index")" = "$before" ]; then mv -f "$repo/index.lock" "$repo/index"; else rm -f "$repo/index.lock"; fi`;
