import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names the session that pushes; see `SCRIPT`. It only takes rights away, so any client may send it. */
export const SESSION_HEADER = 'ship-session';

/**
 * A push may name any object that the repository has, without sending it: a session that knows the hash of what another one
 * saved could put it on its own branch and fetch that. So each object that the push adds to what the session can see has to
 * be in the push itself. `git` looks in the pack alone first; objects that are missing there may still be in old history,
 * which a client with bitmaps leaves out, and are looked for in all of it.
 */
const SCRIPT = `#!/bin/sh
[ -n "$SHIP_FORGE_SESSION" ] || exit 0
new=$(while read -r _ after _; do case $after in *[!0]*) echo "$after" ;; esac; done)
[ -n "$new" ] || exit 0
visible() {
  git for-each-ref --format="$1%(objectname)" refs/heads refs/tags refs/pull "refs/ship/$SHIP_FORGE_SESSION"
}
added=$({ echo "$new"; visible ^; } | git rev-list --objects --no-object-names --stdin) || exit 1
found=$(
  echo "$added" |
    GIT_OBJECT_DIRECTORY=$GIT_QUARANTINE_PATH GIT_ALTERNATE_OBJECT_DIRECTORIES= git cat-file --batch-check
) || exit 1
missing=$(echo "$found" | sed -n 's/ missing$//p')
[ -n "$missing" ] || exit 0
unknown=$(
  { echo "$missing"; echo; visible '' | git rev-list --objects --no-object-names --stdin; } |
    awk '$0 == "" { inHistory = 1; next } inHistory { delete left[$1]; next } { left[$1] } END { for (one in left) print one }'
)
[ -n "$unknown" ] || exit 0
echo 'Ship: this push refers to objects that it does not contain' >&2
exit 1
`;

export function layBorrowHook(hooksDir: string): void {
  const file = join(hooksDir, 'pre-receive');
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
