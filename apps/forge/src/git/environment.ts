import { devNull } from 'node:os';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { objectsDir } from './private-store.ts';
import { viewDir } from './view.ts';

/** Locations of one repository. For a working copy `gitDir` is its common `.git`. */
export interface RepositoryPaths {
  gitDir: string;
  /** The forge's empty repository; see `objectEnvironment`. */
  neutralDir: string;
  /** The registered working copy; null or undefined for a bare repository. */
  folder?: string | null;
}

export interface Identity {
  name: string;
  email: string;
}

const forgeIdentity: Identity = { name: 'Ship forge', email: 'forge@localhost' };

/** Defence in depth: git already runs without the repository's own configuration (see view.ts). */
const hardening: ReadonlyArray<readonly [string, string]> = [
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
  // Otherwise git runs `for-each-ref` in each alternate repository, with that repository's configuration.
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
    // No transport, not even to fetch missing objects: the forge's commands need none.
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
    // Lets the next start find git processes that outlived a killed forge (see locks.ts).
    SHIP_FORGE_NEUTRAL: neutralDir,
  };
}

/** For commands that need no repository. */
export function plainEnvironment(neutralDir: string): Record<string, string> {
  return {
    ...baseEnvironment(neutralDir, forgeIdentity),
    ...configEnvironment(hardening),
    GIT_DIR: neutralDir,
  };
}

/** For commands on refs: the view has the repository's refs and none of its configuration. */
export function refEnvironment(
  paths: RepositoryPaths,
  extra: ReadonlyArray<readonly [string, string]> = [],
  identity = forgeIdentity,
): Record<string, string> {
  return {
    ...baseEnvironment(paths.neutralDir, identity),
    ...configEnvironment([...hardening, ...extra]),
    GIT_DIR: viewDir(paths),
  };
}

/**
 * For commands on objects: the forge's empty repository with the object store of the real one. It has no refs, so a ref
 * name is never taken for a revision.
 */
export function objectEnvironment(
  paths: RepositoryPaths,
  identity = forgeIdentity,
): Record<string, string> {
  const shallow = join(paths.gitDir, 'shallow');
  return {
    ...baseEnvironment(paths.neutralDir, identity),
    ...configEnvironment([...hardening, ['core.bigFileThreshold', '16m']]),
    GIT_DIR: paths.neutralDir,
    GIT_OBJECT_DIRECTORY: objectsDir(paths),
    GIT_NO_REPLACE_OBJECTS: '1',
    ...(existsSync(shallow) ? { GIT_SHALLOW_FILE: shallow } : {}),
  };
}
