import { devNull } from 'node:os';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { objectsDir } from './own-store.ts';
import { viewDir } from './view.ts';

/** Where the refs and the objects of one repository are. For a working copy `gitDir` is its common `.git`. */
export interface Place {
  gitDir: string;
  /** An empty repository of ours; see `objectEnvironment`. */
  neutralDir: string;
  /** The working copy that was registered; none for a bare repository. */
  folder?: string | null;
}

export interface Identity {
  name: string;
  email: string;
}

const forgeIdentity: Identity = { name: 'Ship forge', email: 'forge@localhost' };

/** Git runs without the repository's configuration (see view.ts). These are the second lock on the same doors. */
const harmless: ReadonlyArray<readonly [string, string]> = [
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
  // Otherwise git runs `for-each-ref` in each repository that this one borrows from, with that one's configuration.
  ['core.alternateRefsCommand', 'true'],
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

function baseEnvironment(neutralDir: string, identity: Identity): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: neutralDir,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    // No transport at all, not even to fetch an object that is missing: nothing that the forge runs needs one.
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
    // Lets the next start recognize git processes that outlived a killed forge (see locks.ts).
    SHIP_FORGE_NEUTRAL: neutralDir,
  };
}

/** For commands that need no repository of anybody. */
export function plainEnvironment(neutralDir: string): Record<string, string> {
  return {
    ...baseEnvironment(neutralDir, forgeIdentity),
    ...configEnvironment(harmless),
    GIT_DIR: neutralDir,
  };
}

/** For commands on refs: the view of the repository, which has its refs and none of its configuration. */
export function refEnvironment(
  place: Place,
  extra: ReadonlyArray<readonly [string, string]> = [],
  identity = forgeIdentity,
): Record<string, string> {
  return {
    ...baseEnvironment(place.neutralDir, identity),
    ...configEnvironment([...harmless, ...extra]),
    GIT_DIR: viewDir(place),
  };
}

/**
 * For commands on objects: an empty repository of ours with the other's object store. There are no refs in it, so that
 * no name can be taken for a revision.
 */
export function objectEnvironment(place: Place, identity = forgeIdentity): Record<string, string> {
  const shallow = join(place.gitDir, 'shallow');
  return {
    ...baseEnvironment(place.neutralDir, identity),
    ...configEnvironment([...harmless, ['core.bigFileThreshold', '16m']]),
    GIT_DIR: place.neutralDir,
    GIT_OBJECT_DIRECTORY: objectsDir(place),
    GIT_NO_REPLACE_OBJECTS: '1',
    ...(existsSync(shallow) ? { GIT_SHALLOW_FILE: shallow } : {}),
  };
}
