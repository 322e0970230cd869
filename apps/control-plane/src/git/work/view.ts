import { fail } from '@ship/protocol';
import type { CommandOutcome } from '../../sandbox/port.ts';
import { SETTINGS_FILE } from './settings.ts';
import { failed, type Shell, type ShellOptions, script } from './shell.ts';

/**
 * A second git folder beside the repository's own: the same objects and refs, our settings, an index of its own. So
 * nothing that the agent wrote into `.git/config` or `.git/hooks` has a say, and the agent's index stays as it is.
 */
const OPEN = `set -eu
repo=$1 view=$2 settings=$3
[ -d "$repo/.git" ] && [ ! -L "$repo/.git" ] && [ -f "$repo/.git/HEAD" ] || exit 3
find "$repo/.git" -maxdepth 1 -name 'ship-view-*' -mmin +30 -exec rm -rf {} + 2>/dev/null || true
mkdir -m 700 "$view"
for name in objects refs packed-refs shallow info; do ln -s "$repo/.git/$name" "$view/$name"; done
printf '%s' "$settings" > "$view/config"
head -c 1000 "$repo/.git/HEAD" > "$view/HEAD"
# With its times: git tells by them which files may have changed within the same moment.
if [ -f "$repo/.git/index" ]; then cp -p "$repo/.git/index" "$view/index"; fi
export GIT_DIR=$view
git rev-parse --git-dir > /dev/null 2>&1 || exit 3
git rev-parse --verify --quiet 'HEAD^{commit}' || echo
git rev-parse --verify --quiet 'HEAD^{tree}' || echo
git symbolic-ref --quiet HEAD || echo
if [ -f "$repo/.git/MERGE_HEAD" ]; then head -c 1000 "$repo/.git/MERGE_HEAD"; fi`;

/** git removes the link when history became complete; the file that it led to must go too. */
const CLOSE = `repo=$1 view=$2
if [ -d "$view" ] && [ ! -L "$view/shallow" ]; then rm -f "$repo/.git/shallow"; fi
rm -rf "$view"`;

/** The agent's git sees what we did: the branch is checked out, and nothing is staged or left to be done. */
const ADOPT = `set -eu
repo=$1 view=$2 ref=$3 sha=$4
if [ -n "$sha" ]; then git update-ref "$ref" "$sha"; fi
git symbolic-ref HEAD "$ref"
if [ -f "$view/index" ]; then cp -p "$view/index" "$view/index.new"; mv -f "$view/index.new" "$repo/.git/index"; fi
cp "$view/HEAD" "$view/HEAD.new"; mv -f "$view/HEAD.new" "$repo/.git/HEAD"
cd "$repo/.git" && rm -rf MERGE_HEAD MERGE_MSG MERGE_MODE CHERRY_PICK_HEAD REVERT_HEAD AUTO_MERGE rebase-merge rebase-apply`;

const BOUNDED = 'set -o pipefail; limit=$1; shift; "$@" | head -c "$limit"';
const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** How the repository was found. */
interface Findings {
  /** Undefined before the first commit. */
  head: string | undefined;
  headTree: string | undefined;
  /** The checked-out branch as a full ref; undefined when HEAD is detached. */
  headRef: string | undefined;
  /** Commits that an unfinished merge of the agent brings in. */
  mergeHeads: readonly string[];
}

export class RepositoryView {
  readonly folder: string;
  readonly found: Findings;
  readonly #shell: Shell;
  readonly #path: string;

  private constructor(shell: Shell, folder: string, path: string, found: Findings) {
    this.#shell = shell;
    this.folder = folder;
    this.#path = path;
    this.found = found;
  }

  static async use<T>(
    shell: Shell,
    folder: string,
    use: (view: RepositoryView) => Promise<T>,
  ): Promise<T> {
    const path = `${folder}/.git/ship-view-${crypto.randomUUID()}`;
    const opened = await script(shell, OPEN, [folder, path, SETTINGS_FILE]);
    if (opened.exitCode === 3)
      fail(
        'gone',
        'The repository is no longer in the sandbox, or damaged.',
        'Retry: it is made anew from the saved work.',
      );
    if (opened.exitCode !== 0) failed('look at the repository', opened);
    try {
      return await use(new RepositoryView(shell, folder, path, findings(opened.stdout)));
    } finally {
      await script(shell, CLOSE, [folder, path]);
    }
  }

  git(args: readonly string[], options: ShellOptions = {}): Promise<CommandOutcome> {
    return this.#shell.run(['/usr/bin/git', ...args], this.#options(options));
  }

  /** What git prints; any other end than success is ours to report. */
  async text(args: readonly string[], options: ShellOptions = {}): Promise<string> {
    const outcome = await this.git(args, options);
    if (outcome.exitCode !== 0) failed(`run git ${args[0] ?? ''}`, outcome);
    return outcome.stdout.trimEnd();
  }

  /** At most so many bytes: a working tree can be of any size, our memory not. */
  async bounded(
    args: readonly string[],
    maxBytes: number,
    options: ShellOptions = {},
  ): Promise<{ text: string; isCut: boolean }> {
    const words = [String(maxBytes + 1), '/usr/bin/git', ...args];
    const { stdout } = await script(this.#shell, BOUNDED, words, this.#options(options));
    const isCut = new TextEncoder().encode(stdout).length > maxBytes;
    return { text: stdout, isCut };
  }

  script(text: string, args: readonly string[]): Promise<CommandOutcome> {
    return script(this.#shell, text, args, this.#options({}));
  }

  /** The full id of a commit, or undefined when there is none by that name. */
  async resolve(name: string): Promise<string | undefined> {
    const argv = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
    const outcome = await this.git(argv);
    const sha = outcome.stdout.trim();
    return outcome.exitCode === 0 && SHA.test(sha) ? sha : undefined;
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    return (await this.git(['merge-base', '--is-ancestor', ancestor, descendant])).exitCode === 0;
  }

  /** Makes the repository show what this view has: index, branch (at `sha`, when it moved), no unfinished merge. */
  async adopt(branch: string, sha?: string): Promise<void> {
    const args = [this.folder, this.#path, `refs/heads/${branch}`, sha ?? ''];
    const outcome = await this.script(ADOPT, args);
    if (outcome.exitCode !== 0) failed('update the repository', outcome);
  }

  #options({ env = {}, ...options }: ShellOptions): ShellOptions {
    return {
      cwd: this.folder,
      ...options,
      env: {
        GIT_DIR: this.#path,
        GIT_WORK_TREE: this.folder,
        GIT_INDEX_FILE: `${this.#path}/index`,
        ...env,
      },
    };
  }
}

function findings(text: string): Findings {
  const [head = '', headTree = '', headRef = '', ...rest] = text.split('\n');
  return {
    head: SHA.test(head) ? head : undefined,
    headTree: SHA.test(headTree) ? headTree : undefined,
    headRef: headRef.startsWith('refs/heads/') ? headRef : undefined,
    mergeHeads: rest.filter((line) => SHA.test(line)),
  };
}
