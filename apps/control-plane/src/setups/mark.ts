import { SETUP_INPUTS } from '@ship/core';

/** Beside the repository's folder in a sandbox that was created from a saved setup; it contains the name of that setup. */
export const MARK_SUFFIX = '.prepared';
/** The mark's name once the repository is in its place, among the setup's results. */
export const REUSED_SUFFIX = '.reused';

/**
 * A shell function for scripts in the repository: a hash of the setup's command, of the git object ids of the files that it
 * depends on, and of the commits of its submodules. Uncommitted changes count too, so that a tree with such changes never has
 * the key of its commit.
 */
export const KEY_FUNCTION = `setup_key() {
  { printf '%s\\0' "$1"; shift
    git ls-files --stage -z -- "$@"
    if [ -f .gitmodules ]; then git ls-files --stage -z | grep -z '^160000 ' || true; fi
    git status --porcelain -z --untracked-files=no --no-renames -- "$@"; } | sha256sum | cut -c1-64
}`;

export const KEY_ARGUMENTS: readonly string[] = SETUP_INPUTS;
