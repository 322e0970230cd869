/**
 * The only settings that Ship's git calls obey. The repository's own `config` belongs to the agent: it could name programs to
 * run (hooks, filters, fsmonitor, textconv, merge drivers, ssh) and other addresses (`insteadOf`, proxies).
 */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.quotePath', 'false'],
  ['core.autocrlf', 'false'],
  ['core.logAllRefUpdates', 'false'],
  ['credential.helper', ''],
  ['http.followRedirects', 'false'],
  ['http.proxy', ''],
  ['protocol.version', '2'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['submodule.recurse', 'false'],
  ['commit.gpgSign', 'false'],
  ['push.gpgSign', 'false'],
  ['diff.renames', 'true'],
  ['merge.conflictStyle', 'merge'],
  ['advice.detachedHead', 'false'],
  // Writing thousands of files waits for the disk: a single writer took three times as long on a busy one.
  ['checkout.workers', '4'],
];

/** As command-line arguments, for calls without a repository. */
export const SETTING_ARGS: readonly string[] = SETTINGS.flatMap(([key, value]) => [
  '-c',
  `${key}=${value}`,
]);

/** As a config file. */
export const SETTINGS_FILE: string = [
  '[core]\n\trepositoryformatversion = 0\n\tbare = false',
  ...SETTINGS.map(([key, value]) => {
    const dot = key.indexOf('.');
    return `[${key.slice(0, dot)}]\n\t${key.slice(dot + 1)} = "${value}"`;
  }),
  '',
].join('\n');
