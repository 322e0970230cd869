import { SETUP_INPUTS } from '@ship/core';

/** Beside the repository's folder in a sandbox that was made from a kept setup; it holds the name of that setup. */
export const MARK_SUFFIX = '.prepared';
/** What it is called once the repository is in its place, among what the setup left. */
export const REUSED_SUFFIX = '.reused';

/**
 * A function for scripts that run in the repository: a hash of the setup's command and of the files that it depends on, by
 * the object ids that git has for them, and of the commits of its submodules. What the files on the disk have beyond those counts too, so that a tree with
 * uncommitted changes never has the key of its commit.
 */
export const KEY_FUNCTION = `setup_key() {
  { printf '%s\\0' "$1"; shift
    git ls-files --stage -z -- "$@"
    if [ -f .gitmodules ]; then git ls-files --stage -z | grep -z '^160000 ' || true; fi
    git status --porcelain -z --untracked-files=no --no-renames -- "$@"; } | sha256sum | cut -c1-64
}`;

export const KEY_ARGUMENTS: readonly string[] = SETUP_INPUTS;
