import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names the session that pushes; see `SCRIPT`. It only removes rights, so any client may send it. */
export const SESSION_HEADER = 'ship-session';

/**
 * A push may refer to any object of the repository without sending it: a session that knows the hash of another session's
 * checkpoint could put it on its own branch and fetch that. So the push itself must contain each object that it adds to what
 * the session can see.
 *
 * The first check is cheap, as every push waits for it: does the pack contain all differences to the parents of the new
 * commits? Usually it does. Otherwise (a moved file, a merge, a client that omits old history by a bitmap, a tip that is not
 * a commit) the script looks for each object in the pack and in the whole history.
 */
const SCRIPT = `#!/bin/sh
[ -n "$SHIP_FORGE_SESSION" ] || exit 0
# The patterns below are for git, not for the shell.
set -f
new=
while read -r _ after _; do case $after in *[!0]*) new="$new $after" ;; esac; done
[ -n "$new" ] || exit 0
visible="--branches --tags --glob=refs/pull/* --glob=refs/ship/$SHIP_FORGE_SESSION/*"
in_pack() {
  GIT_OBJECT_DIRECTORY=$GIT_QUARANTINE_PATH GIT_ALTERNATE_OBJECT_DIRECTORIES= git cat-file "$@"
}
differences() {
  for tip in $new; do echo "$tip tip"; done
  git log --format='%H%n%T' --raw --no-abbrev -r -t -m --root --no-renames $new --not $visible -- || echo failed
}
types=$(
  differences |
    awk '/^:/ { if ($2 != 160000 && $4 !~ /^0+$/) print $4; next } /./' |
    in_pack --batch-check='%(objecttype) %(rest)'
) || exit 1
case $types in *missing* | *'tag tip'* | *'tree tip'* | *'blob tip'*) ;; *) exit 0 ;; esac
added=$(git rev-list --objects --no-object-names $new --not $visible --) || exit 1
missing=$(echo "$added" | in_pack --batch-check | sed -n 's/ missing$//p')
[ -n "$missing" ] || exit 0
unknown=$(
  { echo "$missing"; echo; git rev-list --objects --no-object-names $visible --; } |
    awk '$0 == "" { inHistory = 1; next } inHistory { delete left[$1]; next } { left[$1] } END { for (one in left) print one }'
)
[ -n "$unknown" ] || exit 0
echo 'Ship: this push refers to objects that it does not contain' >&2
exit 1
`;

/** Called by the `pre-receive` hook. */
const NAME = 'refuse-borrowed';

export function installBorrowedCheck(hooksDir: string): void {
  const file = join(hooksDir, NAME);
  writeFileSync(file, SCRIPT);
  chmodSync(file, 0o700);
}

/** git settings for a push of a session. */
export function borrowedCheckSettings(hooksDir: string): Array<[string, string]> {
  return [
    ['core.hooksPath', hooksDir],
    // Otherwise git unpacks small pushes and skips objects that the repository has, so the check would not find them.
    ['receive.unpackLimit', '1'],
  ];
}
