import {
  type MissingSubmodule,
  type Submodule,
  type SubmoduleOrigin,
  type SubmoduleSource,
  readSubmodules,
  shown,
  submoduleSource,
} from '@ship/core';
import { MAX_LISTED_FILES } from '@ship/protocol';
import type { RepositoryName } from './forge/address.ts';
import { REUSED_SUFFIX } from '../setups/mark.ts';
import { MAX_READS } from './gateway/capability.ts';
import { SETTING_ARGS } from './work/settings.ts';
import { type Shell, script, lastWords } from './work/shell.ts';
import { EXIT, INITIALIZE, LIST_SUBMODULES } from './work/submodule-scripts.ts';

/** Which repositories a session may read besides its own: adding one to Ship is the consent, nothing else is. */
export interface SubmoduleAccess {
  origin: SubmoduleOrigin;
  /** The repository's name at the forge; undefined when it was not added to Ship. */
  find(
    source: Extract<SubmoduleSource, { kind: 'forge' | 'folder' }>,
  ): Promise<RepositoryName | undefined>;
  /** An address at the gateway for one of `reads`, for reading. */
  remoteFor(repository: RepositoryName, reads: readonly RepositoryName[]): Promise<string>;
}

interface InitializedSubmodule {
  path: string;
  /** The location as people know it, without credentials and capabilities. */
  from: string;
}

export interface Initialization {
  missing: MissingSubmodule[];
  initialized: InitializedSubmodule[];
}

/** Across all levels. */
const MAX_SUBMODULES = 20;
/** Submodules, and their own. */
const MAX_DEPTH = 2;
const FETCH_LIMIT_S = 180;
const ALL_LIMIT_MS = 300_000;

interface Level {
  /** Below the repository, with a slash at the end; empty for the repository itself. */
  prefix: string;
  gitDir: string;
  origin: SubmoduleOrigin;
  depth: number;
}

/**
 * Checks out the submodules of a fresh clone, as far as they are accessible. Never fails the task: each missing one is listed
 * with its path and the reason.
 */
export async function initializeSubmodules(
  shell: Shell,
  folder: string,
  access: SubmoduleAccess | undefined,
  now: () => number = Date.now,
): Promise<Initialization> {
  const run = new Run(shell, folder, access, now() + ALL_LIMIT_MS, now);
  await run.level({
    prefix: '',
    gitDir: `${folder}/.git`,
    origin: access?.origin ?? { gitUrl: 'http://localhost', location: '/' },
    depth: 1,
  });
  return {
    missing: run.missing.slice(0, MAX_LISTED_FILES),
    initialized: run.initialized,
  };
}

class Run {
  readonly missing: MissingSubmodule[] = [];
  readonly initialized: InitializedSubmodule[] = [];
  readonly #shell: Shell;
  readonly #folder: string;
  readonly #access: SubmoduleAccess | undefined;
  readonly #until: number;
  readonly #now: () => number;
  readonly #reads = new Map<string, RepositoryName>();

  constructor(
    shell: Shell,
    folder: string,
    access: SubmoduleAccess | undefined,
    until: number,
    now: () => number,
  ) {
    this.#shell = shell;
    this.#folder = folder;
    this.#access = access;
    this.#until = until;
    this.#now = now;
  }

  async level({ prefix, gitDir, origin, depth }: Level): Promise<void> {
    const listed = await script(this.#shell, LIST_SUBMODULES, [`${this.#folder}/${prefix}`]);
    const [listing = '', config = ''] = listed.stdout.split('\u0001');
    for (const submodule of readSubmodules(listing, config)) {
      const path = `${prefix}${submodule.path}`;
      const inner = await this.#initialize(submodule, { prefix, gitDir, origin, depth }).catch(() =>
        missing('an error in Ship stopped it; see its log'),
      );
      if ('reason' in inner) {
        // Lists only the first of thousands.
        if (this.missing.length < MAX_LISTED_FILES)
          this.missing.push({ path: path.slice(0, 4096), reason: inner.reason.slice(0, 500) });
        continue;
      }
      this.initialized.push({ path, from: shown(inner.origin.location) });
      await this.level(inner);
    }
  }

  async #initialize(submodule: Submodule, level: Level): Promise<Level | { reason: string }> {
    const access = this.#access;
    const { prefix, origin, depth } = level;
    const source = submoduleSource(submodule, origin);
    if (source.kind === 'none') return missing(source.reason);
    if (access === undefined) return missing('submodules are not fetched here');
    if (depth > MAX_DEPTH) return missing(`it is more than ${MAX_DEPTH} levels deep`);
    if (this.initialized.length >= MAX_SUBMODULES)
      return missing(`Ship fetches ${MAX_SUBMODULES} submodules at most`);
    if (this.#now() > this.#until) return missing('fetching the submodules took too long');
    const fetched = await this.#addressOf(access, source);
    if ('reason' in fetched) return fetched;
    const gitDir = `${level.gitDir}/modules/${encodeURIComponent(submodule.path)}`;
    const isNamed = /^\w[\w./-]{0,100}$/.test(submodule.name);
    const allowed = fetched.how === 'public' ? ['https'] : ['http', 'https'];
    const outcome = await script(
      this.#shell,
      INITIALIZE,
      [
        `${this.#folder}/${prefix}`.replace(/\/$/, ''),
        submodule.path,
        gitDir,
        submodule.sha,
        fetched.from,
        fetched.location,
        isNamed ? submodule.name : '',
        `${level.gitDir}/config`,
        String(FETCH_LIMIT_S),
        fetched.how,
        `${this.#folder}${REUSED_SUFFIX}`,
        ...SETTING_ARGS,
        ...[
          'protocol.allow=never',
          ...allowed.map((one) => `protocol.${one}.allow=always`),
        ].flatMap((one) => ['-c', one]),
      ],
      // It overrides the settings of git.
      { env: { GIT_ALLOW_PROTOCOL: allowed.join(':') }, timeoutMs: 3 * FETCH_LIMIT_S * 1000 },
    );
    if (outcome.exitCode !== 0) return missing(reasonOf(outcome, submodule, fetched.location));
    return {
      prefix: `${prefix}${submodule.path}/`,
      gitDir,
      origin: { gitUrl: origin.gitUrl, location: fetched.location },
      depth: depth + 1,
    };
  }

  /** Where git fetches from, and the location to record. */
  async #addressOf(
    access: SubmoduleAccess,
    source: Exclude<SubmoduleSource, { kind: 'none' }>,
  ): Promise<{ from: string; location: string; how: 'gateway' | 'public' } | { reason: string }> {
    if (source.kind === 'public') return { from: source.url, location: source.url, how: 'public' };
    const found = await access.find(source);
    const publicUrl = source.kind === 'forge' ? source.publicUrl : null;
    if (found === undefined) {
      if (publicUrl !== null) return { from: publicUrl, location: publicUrl, how: 'public' };
      const name = source.kind === 'forge' ? `${source.owner}/${source.name}` : source.path;
      return missing(
        `${shown(name)} is not among the repositories that were added to Ship (Settings → Repositories)`,
      );
    }
    const key = `${found.owner}/${found.name}`;
    if (!this.#reads.has(key) && this.#reads.size >= MAX_READS)
      return missing(`a session reads ${MAX_READS} other repositories at most`);
    this.#reads.set(key, found);
    const from = await access.remoteFor(found, [...this.#reads.values()]);
    const location = source.kind === 'folder' ? source.path : `${access.origin.gitUrl}/${key}.git`;
    return { from, location, how: 'gateway' };
  }
}

const missing = (reason: string) => ({ reason });

function reasonOf(
  outcome: Parameters<typeof lastWords>[0],
  { sha }: Submodule,
  location: string,
): string {
  const from = shown(location);
  const { exitCode, stderr } = outcome;
  if (exitCode === EXIT.link) return 'its path leads through a symbolic link';
  if (exitCode === EXIT.occupied) return 'other files are in its folder';
  if (exitCode === EXIT.noCommit)
    return `${from} has no branch or tag with its commit ${sha.slice(0, 9)}`;
  if (exitCode === EXIT.late) return `${from} took longer than ${FETCH_LIMIT_S} s`;
  if (/CONNECT tunnel failed|from proxy after CONNECT|Proxy CONNECT aborted/i.test(stderr))
    return `sandboxes may not reach the host of ${from} (Settings → Network)`;
  if (/could not read Username|Authentication failed|error: 40[134]\b|not found/i.test(stderr))
    return `${from} cannot be read without a token; add it to Ship if it is yours (Settings → Repositories)`;
  return `${from} could not be fetched: ${lastWords(outcome)}`;
}
