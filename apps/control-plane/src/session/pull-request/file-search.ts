import { rankPaths } from '@ship/core';
import { type FoundFiles, MAX_FOUND_FILES } from '@ship/protocol';
import { type Forge, sandboxShell } from '../../git/index.ts';
import { failed, script } from '../../git/work/shell.ts';
import { REPOSITORY_FOLDER } from '../workshop/git-work.ts';
import { type Access, noSandbox } from './access.ts';

/** Ranking happens here; a repository of any size sends at most this many paths. */
const MAX_CANDIDATES = 3_000;
/** Includes new files, but nothing that git ignores. Finding nothing is not a failure. */
const SEARCH = `cd "$1" || exit 3
git ls-files --cached --others --exclude-standard --deduplicate -z |
  { grep -ziE -e "$2" || true; } | head -z -n "$3"`;
const TIMEOUT_MS = 10_000;

/** Finds files of the repository by letters of their paths. */
export function searchFiles(access: Access, query: string): Promise<FoundFiles> {
  return access.either<FoundFiles>(
    async ({ port, sandboxId }) => {
      const words = [REPOSITORY_FOLDER, patternOf(query), String(MAX_CANDIDATES)];
      const shell = sandboxShell(port, sandboxId);
      const outcome = await script(shell, SEARCH, words, { timeoutMs: TIMEOUT_MS });
      if (outcome.exitCode !== 0) failed('search the files', outcome);
      return found('sandbox', outcome.stdout.split('\0').slice(0, -1), query);
    },
    async () => {
      const forge = await access.forge();
      const tip = access.tip ?? (await baseTip(access, forge)) ?? noSandbox('The repository');
      return found('forge', await forge.paths(tip), query);
    },
  );
}

/** Before the first turn, the repository equals its base. */
async function baseTip({ state }: Access, forge: Forge): Promise<string | null> {
  const base = state.git.base ?? state.base ?? (await forge.repository()).defaultBranch;
  return forge.refSha(`heads/${base}`);
}

function found(source: FoundFiles['source'], paths: readonly string[], query: string): FoundFiles {
  return { source, paths: rankPaths(paths, query, MAX_FOUND_FILES) };
}

/** The letters in order with anything in between; escapes characters that grep would interpret. */
function patternOf(query: string): string {
  const letters = Array.from(query.replaceAll(/\s/g, ''));
  return letters.map((letter) => letter.replace(/[\\^$.|?*+()[\]{}]/, '\\$&')).join('.*');
}
