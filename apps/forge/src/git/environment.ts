import { devNull } from 'node:os';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where the refs and the objects of one repository are. For a working copy `gitDir` is its common `.git`. */
export interface Place {
  gitDir: string;
  /** An empty repository of ours; see `objectEnvironment`. */
  neutralDir: string;
}

export interface Identity {
  name: string;
  email: string;
}

const forgeIdentity: Identity = { name: 'Ship forge', email: 'forge@localhost' };

/** Settings that would let a repository's own config run a program, each replaced by something harmless. */
const harmless: ReadonlyArray<readonly [string, string]> = [
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
  ['core.alternateRefsCommand', 'true'],
  ['safe.directory', '*'],
  ['protocol.allow', 'never'],
  ['core.filesRefLockTimeout', '5000'],
  ['core.packedRefsTimeout', '5000'],
];

function configEnvironment(
  settings: ReadonlyArray<readonly [string, string]>,
): Record<string, string> {
  const environment: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [index, [key, value]] of settings.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return environment;
}

function baseEnvironment(place: Place, identity: Identity): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: place.neutralDir,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
    // Lets the next start recognize git processes that outlived a killed forge (see locks.ts).
    SHIP_FORGE_NEUTRAL: place.neutralDir,
  };
}

/** For commands on refs: the real git folder, with nothing in its config that could run a program. */
export function refEnvironment(
  place: Place,
  extra: ReadonlyArray<readonly [string, string]> = [],
  identity = forgeIdentity,
): Record<string, string> {
  return {
    ...baseEnvironment(place, identity),
    ...configEnvironment([...harmless, ...extra]),
    GIT_DIR: place.gitDir,
  };
}

/**
 * For commands on objects: an empty repository of ours with the other's object store. Merging or diffing in the user's
 * own repository would run the merge drivers, text converters and external diffs that its config names; here there is
 * no config but ours.
 */
export function objectEnvironment(place: Place, identity = forgeIdentity): Record<string, string> {
  const shallow = join(place.gitDir, 'shallow');
  return {
    ...baseEnvironment(place, identity),
    ...configEnvironment([...harmless, ['core.bigFileThreshold', '16m']]),
    GIT_DIR: place.neutralDir,
    GIT_OBJECT_DIRECTORY: join(place.gitDir, 'objects'),
    GIT_NO_REPLACE_OBJECTS: '1',
    ...(existsSync(shallow) ? { GIT_SHALLOW_FILE: shallow } : {}),
  };
}
