/** Version of code-server, VS Code for a browser. */
export const EDITOR_VERSION = '4.139.1';
/** `npm view code-server@VERSION dist.integrity`. The archive contains lock files for all its dependencies. */
export const EDITOR_INTEGRITY =
  'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==';

/** Path inside a sandbox of the read-only copy that the machine shares with its sandboxes; absent when it shares none. */
export const SHARED_EDITOR_FOLDER = '/run/code-server';
