import { join } from 'node:path';
import { unprocessable } from '../http/errors.ts';
import { GitError } from './git-error.ts';
import { readRegularFile } from './read-file.ts';

/** The settings of a repository's own configuration that the forge uses. */
export interface RepositoryConfig {
  /** Undefined when not set. */
  isBare: boolean | undefined;
  /** `core.worktree` as it is written. */
  worktree: string | undefined;
  /** Validated settings that change how files and refs are written and cannot name a program. */
  settings: ReadonlyArray<readonly [string, string]>;
  /** Why the repository is not supported. */
  refusal: string | undefined;
}

const bool = /^(?:true|false|yes|no|on|off|1|0)$/i;

/**
 * The allow-list. All other keys are ignored: git runs with the forge's configuration file. Never add a key whose value is
 * a command, a path or a URL.
 */
const allowed: ReadonlyMap<string, RegExp> = new Map([
  ['core.autocrlf', /^(?:true|false|input)$/i],
  ['core.eol', /^(?:lf|crlf|native)$/i],
  ['core.checkstat', /^(?:default|minimal)$/i],
  ['core.filemode', bool],
  ['core.ignorecase', bool],
  ['core.logallrefupdates', /^(?:true|false|always)$/i],
  ['core.precomposeunicode', bool],
  ['core.sharedrepository', /^(?:umask|group|all|world|everybody|true|false|0[0-7]{3})$/i],
  ['core.sparsecheckout', bool],
  ['core.sparsecheckoutcone', bool],
  ['core.symlinks', bool],
  ['core.trustctime', bool],
]);

const maxConfigBytes = 4 * 1024 * 1024;

/** Parses `git config -z --list`: `key LF value NUL`, or `key NUL` for a key without a value, which means true. */
export function parseConfigList(output: string): Array<[string, string]> {
  return output
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const at = entry.indexOf('\n');
      return at < 0 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)];
    });
}

const isTrue = (value: string): boolean => /^(?:true|yes|on|1)$/i.test(value);

export function interpretConfig(
  entries: ReadonlyArray<readonly [string, string]>,
): RepositoryConfig {
  const last = new Map(entries);
  const bare = last.get('core.bare');
  return {
    isBare: bare === undefined ? undefined : isTrue(bare),
    worktree: last.get('core.worktree'),
    settings: [...last].filter(([key, value]) => allowed.get(key)?.test(value) === true),
    refusal: unsupportedReason(last),
  };
}

function unsupportedReason(last: ReadonlyMap<string, string>): string | undefined {
  if (last.get('extensions.objectformat')?.toLowerCase() === 'sha256')
    return 'Repositories with SHA-256 object ids are not supported.';
  const storage = last.get('extensions.refstorage') ?? 'files';
  if (storage.toLowerCase() !== 'files')
    return `Refs in the format "${storage}" (extensions.refStorage) are not supported. Run "git refs migrate --ref-format=files" there first.`;
  const isPartial =
    last.has('extensions.partialclone') ||
    [...last.keys()].some((key) => /^remote\..*\.(?:promisor|partialclonefilter)$/s.test(key));
  return isPartial
    ? 'This is a partial clone: objects are missing. Run "git fetch --refetch --no-filter" and clone it in full first.'
    : undefined;
}

export type ConfigParser = (text: string) => Promise<string>;

interface CachedConfig {
  text: string;
  config: RepositoryConfig;
}

const cache = new Map<string, CachedConfig>();

/** Reads the files as data, without following includes. Cached until a file changes. */
export async function readRepositoryConfig(
  gitDir: string,
  parse: ConfigParser,
): Promise<RepositoryConfig> {
  const read = (name: string) => readRegularFile(join(gitDir, name), maxConfigBytes) ?? '';
  const [common, worktree] = [read('config'), read('config.worktree')];
  const text = `${common}\0${worktree}`;
  const cached = cache.get(gitDir);
  if (cached?.text === text) return cached.config;
  const entries = await parseFile(gitDir, 'config', common, parse);
  const hasWorktreeConfig = entries.some(
    ([key, value]) => key === 'extensions.worktreeconfig' && !/^(?:false|no|off|0)$/i.test(value),
  );
  if (hasWorktreeConfig)
    entries.push(...(await parseFile(gitDir, 'config.worktree', worktree, parse)));
  const config = interpretConfig(entries);
  cache.set(gitDir, { text, config });
  return config;
}

async function parseFile(
  gitDir: string,
  name: string,
  text: string,
  parse: ConfigParser,
): Promise<Array<[string, string]>> {
  if (text === '') return [];
  try {
    return parseConfigList(await parse(text));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const reason = error.stderr.trim().replace(/^fatal: /, '');
    throw unprocessable(
      `${join(gitDir, name)} cannot be read: ${reason}. Fix the file, then try again.`,
    );
  }
}
