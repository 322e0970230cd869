/** code-server, which is VS Code for a browser. */
export const EDITOR_VERSION = '4.139.1';
/** `npm view code-server@VERSION dist.integrity`. Its archive has lock files for all that it needs. */
export const EDITOR_INTEGRITY =
  'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==';

/** Inside a sandbox: what the machine shares with all of its sandboxes, read-only. Absent where nothing is shared. */
export const SHARED_EDITOR_FOLDER = '/run/code-server';
