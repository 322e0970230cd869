/** code-server, which is VS Code for a browser. */
export const EDITOR_VERSION = '4.139.1';

/** Inside a sandbox: what the machine shares with all of its sandboxes, read-only. Absent where nothing is shared. */
export const SHARED_EDITOR_FOLDER = '/run/code-server';
