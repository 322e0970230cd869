import { fail } from '@ship/protocol';
import type { CommandOutcome } from '../../sandbox/port.ts';
import { SETTINGS_FILE } from './settings.ts';
import { SETTLE } from './settle.ts';
import { failed, type Shell, type ShellOptions, script } from './shell.ts';
import { PLACE } from './place-scripts.ts';
import { ADOPT, CLOSE, COMMIT, COMMIT_AND_PUSH, OPEN, POINT } from './view-scripts.ts';

const BOUNDED = 'set -o pipefail; limit=$1; shift; "$@" | head -c "$limit"';
const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The state in which the repository was found. */
interface Findings {
  /** Undefined before the first commit. */
  head: string | undefined;
  headTree: string | undefined;
  /** The checked-out branch as a full ref; undefined when HEAD is detached. */
  headRef: string | undefined;
  /** Commits that an unfinished merge of the agent brings in. */
  mergeHeads: readonly string[];
}

/** Runs in the call that opens the view, unless a merge of the agent is unfinished. */
export interface FirstScript {
  text: string;
  args: readonly string[];
}

interface Origin {
  remote: string;
  branch: string;
  place?: string;
}

interface CommitAndPush {
  branch: string;
  /** Arguments of `git commit-tree`. */
  argv: readonly string[];
  env: Record<string, string>;
  /** `git push …`, up to its lease. */
  push: readonly string[];
  remote: string;
  lease: string;
  /** `git log …`, up to its commits: those since `known`. */
  log: readonly string[];
  known: string | null;
  timeoutMs: number;
}

export class RepositoryView {
  readonly folder: string;
  readonly found: Findings;
  readonly #shell: Shell;
  readonly #path: string;
  #firstOutput: CommandOutcome | undefined;

  private constructor(shell: Shell, folder: string, path: string, opened: CommandOutcome) {
    this.#shell = shell;
    this.folder = folder;
    this.#path = path;
    const [found = '', ...rest] = opened.stdout.split('\0');
    this.found = findings(found);
    if (rest.length > 0) this.#firstOutput = { ...opened, stdout: rest.join('\0') };
  }

  static async use<T>(
    shell: Shell,
    folder: string,
    use: (view: RepositoryView) => Promise<T>,
    first?: FirstScript,
  ): Promise<T> {
    const view = await RepositoryView.open(shell, folder, first);
    try {
      return await use(view);
    } finally {
      await view.close();
    }
  }

  /** The caller must close the view, even after an error. */
  static async open(shell: Shell, folder: string, first?: FirstScript): Promise<RepositoryView> {
    const path = `${folder}/.git/ship-view-${crypto.randomUUID()}`;
    const text = first === undefined ? OPEN : `${OPEN}printf '\\0'\n${first.text}`;
    const args = [folder, path, SETTINGS_FILE, ...(first?.args ?? [])];
    const opened = await script(shell, text, args);
    if (opened.exitCode === 3)
      fail(
        'repository-damaged',
        'The repository in the sandbox is missing or damaged, or git does not work there.',
        'Repair it in the terminal and retry; or end the sandbox and retry, which restores the saved work in a new one.',
      );
    // A NUL shows that the view was open when the script after it failed: the caller of that script reports it.
    if (opened.exitCode !== 0 && !opened.stdout.includes('\0'))
      failed('look at the repository', opened);
    return new RepositoryView(shell, folder, path, opened);
  }

  /** With an address, the agent's own git gets it in the same call; with a place, the repository is moved there. */
  async close(origin?: Origin): Promise<void> {
    if (origin === undefined) {
      await script(this.#shell, CLOSE, [this.folder, this.#path]);
      return;
    }
    const { remote, branch, place } = origin;
    const placing = place === undefined ? [] : [place, SETTLE, SETTINGS_FILE];
    const args = [this.folder, this.#path, remote, branch, ...placing];
    const text = CLOSE + POINT + (place === undefined ? '' : PLACE);
    const outcome = await script(this.#shell, text, args);
    if (outcome.exitCode !== 0) failed('put the repository into its place', outcome);
  }

  /** The output of the script that came with the opening, once; undefined when it did not run. */
  takeFirstOutput(): CommandOutcome | undefined {
    const early = this.#firstOutput;
    this.#firstOutput = undefined;
    return early;
  }

  git(args: readonly string[], options: ShellOptions = {}): Promise<CommandOutcome> {
    return this.#shell.run(['/usr/bin/git', ...args], this.#options(options));
  }

  /** The output of git; a failure becomes an error. */
  async text(args: readonly string[], options: ShellOptions = {}): Promise<string> {
    const outcome = await this.git(args, options);
    if (outcome.exitCode !== 0) failed(`run git ${args[0] ?? ''}`, outcome);
    return outcome.stdout.trimEnd();
  }

  /** At most `maxBytes`: a working tree can be of any size, an object's memory cannot. */
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

  /** The full id of a commit, or undefined when the name has none. */
  async resolve(name: string): Promise<string | undefined> {
    const argv = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
    const outcome = await this.git(argv);
    const sha = outcome.stdout.trim();
    return outcome.exitCode === 0 && SHA.test(sha) ? sha : undefined;
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    return (await this.git(['merge-base', '--is-ancestor', ancestor, descendant])).exitCode === 0;
  }

  /** Makes the repository show the state of this view: index, branch (at `sha`, when it moved), no unfinished merge. */
  async adopt(branch: string, sha?: string): Promise<void> {
    const args = [this.folder, this.#path, `refs/heads/${branch}`, sha ?? ''];
    const outcome = await this.script(ADOPT, args);
    if (outcome.exitCode !== 0) failed('update the repository', outcome);
  }

  /** Commits on the checked-out branch and adopts the commit. */
  async commit(
    branch: string,
    argv: readonly string[],
    env: Record<string, string>,
  ): Promise<string> {
    const args = [this.folder, this.#path, `refs/heads/${branch}`, ...argv];
    const outcome = await script(this.#shell, COMMIT, args, this.#options({ env }));
    const sha = outcome.stdout.trim();
    if (outcome.exitCode !== 0 || !SHA.test(sha)) failed('commit', outcome);
    return sha;
  }

  /** The same, and pushes in the same call. */
  async commitAndPush({ branch, argv, env, push, log, ...options }: CommitAndPush) {
    const { remote, lease, known, timeoutMs } = options;
    const place = [this.folder, this.#path, `refs/heads/${branch}`, remote, lease, known ?? ''];
    const args = [...place, String(push.length), String(log.length), ...push, ...log, ...argv];
    const shellOptions = this.#options({ env, timeoutMs });
    const outcome = await script(this.#shell, COMMIT_AND_PUSH, args, shellOptions);
    const [sha = '', code = '', output = '', ...rest] = outcome.stdout.split('\0');
    if (!SHA.test(sha)) failed('commit', outcome);
    if (outcome.exitCode !== 0) failed('update the repository', outcome);
    const pushed: CommandOutcome = { ...outcome, exitCode: Number(code), stdout: output };
    return { sha, pushed, log: rest.join('\0') };
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
