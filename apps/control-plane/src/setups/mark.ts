import { SETUP_INPUTS, type SetupMark } from '@ship/core';
import * as z from 'zod';

const Mark = z.object({
  key: z.string().min(1).max(100),
  setupMs: z.number().nonnegative(),
  madeAt: z.number().nonnegative(),
});

/** Beside the repository's folder in a sandbox that was made from a kept setup. */
export const MARK_SUFFIX = '.prepared';
/** What it is called once the repository is in its place, among what the setup left. */
export const REUSED_SUFFIX = '.reused';

export function parseMark(text: string): SetupMark | null {
  try {
    return Mark.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * A function for scripts that run in the repository: a hash of the setup's command and of the files that it depends on, as
 * they are on the disk.
 */
export const KEY_FUNCTION = `setup_key() {
  { printf '%s\\0' "$1"; shift
    git ls-files -z -- "$@" | LC_ALL=C sort -z | xargs -0 -r sha256sum 2>/dev/null; } | sha256sum | cut -c1-64
}`;

export const KEY_ARGUMENTS: readonly string[] = SETUP_INPUTS;
