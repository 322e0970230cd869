import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names the session that pushes; see `SCRIPT`. It only takes rights away, so any client may send it. */
export const SESSION_HEADER = 'ship-session';

/**
 * A push may name any object that the repository has, without sending it: a session that knows the hash of what another one
 * saved could put it on its own branch and fetch that. So each object that the push adds to what the session can see has to
 * be in the push itself.
 *
 * The first question is cheap, since every push waits for it: is all that differs from the parents of the new commits in the
 * pack? Most often it is. Otherwise (a file that moved, a merge, a client that leaves out old history by a bitmap, a tip that
 * is no commit) every object is looked for, in the pack and in all of the history.
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

/** A check of its own, called by the `pre-receive` hook. */
const NAME = 'refuse-borrowed';

export function layBorrowHook(hooksDir: string): void {
  const file = join(hooksDir, NAME);
  writeFileSync(file, SCRIPT);
  chmodSync(file, 0o700);
}

/** How git runs for a push of a session. */
export function borrowSettings(hooksDir: string): Array<[string, string]> {
  return [
    ['core.hooksPath', hooksDir],
    // Otherwise git leaves out what the repository has already, and the hook would miss it.
    ['receive.unpackLimit', '1'],
  ];
}
