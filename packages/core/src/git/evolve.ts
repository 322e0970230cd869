import {
  type DurableEvent,
  type GitState,
  MAX_KEPT_COMMITS,
  MAX_KEPT_LEFTOVERS,
  MAX_KEPT_SUBMODULES,
} from '@ship/protocol';

export const NO_GIT_YET: GitState = {
  movedTo: null,
  branch: null,
  base: null,
  baseSha: null,
  headSha: null,
  pushedSha: null,
  outside: null,
  commits: [],
  commitCount: 0,
  checkpoint: null,
  pullRequest: null,
  skipped: [],
  conflict: null,
};

/** Folds one event into the state of branch, commits and pull request; other events leave it unchanged. */
export function evolveGit(git: GitState, event: DurableEvent): GitState {
  switch (event.type) {
    case 'repository.moved':
      return { ...git, movedTo: event.data.to };
    case 'branch.made': {
      const { branch, base, baseSha } = event.data;
      return { ...git, branch, base, baseSha };
    }
    case 'branch.renamed':
      return { ...git, ...event.data };
    case 'commit.made':
      return commitMade(git, event);
    case 'files.skipped':
      return { ...git, skipped: event.data.files };
    case 'checkout.noted': {
      const { submodules, initialized = [], lfsFiles } = event.data;
      const missing = submodules.slice(0, MAX_KEPT_SUBMODULES);
      const paths = initialized.slice(0, MAX_KEPT_SUBMODULES).map(({ path }) => path);
      return { ...git, checkout: { missing, initialized: paths, lfsFiles } };
    }
    case 'branch.pushed':
      return pushed(git, event.data.sha);
    case 'base.merged':
      return { ...git, baseSha: event.data.baseSha };
    case 'branch.deleted':
      return { ...git, outside: { sha: null } };
    case 'branch.moved-outside':
      return { ...git, outside: { sha: event.data.sha } };
    case 'checkpoint.saved': {
      const { sha, treeSha, headSha } = event.data;
      return { ...git, checkpoint: { sha, treeSha, headSha, at: event.at } };
    }
    case 'pull-request.opened': {
      const { number, url, title, state, draft } = event.data;
      return { ...git, pullRequest: { number, url, title, state, draft } };
    }
    case 'pull-request.updated':
      return ofPullRequest(git, event.data.number, { title: event.data.title });
    case 'pull-request.state-changed': {
      const { number, state, draft } = event.data;
      return ofPullRequest(git, number, { state, draft });
    }
    case 'files.left-behind': {
      const { by, fromTree, toTree } = event.data;
      const kept = git.leftovers?.filter((one) => one.toTree !== toTree) ?? [];
      const all = [...kept, { by, fromTree, toTree }];
      return { ...git, leftovers: all.slice(-MAX_KEPT_LEFTOVERS) };
    }
    case 'git.conflicted':
      return { ...git, conflict: event.data };
    case 'git.conflict-resolved':
      return { ...git, conflict: null };
    default:
      return git;
  }
}

function commitMade(git: GitState, { data, at }: DurableEvent & { type: 'commit.made' }): GitState {
  const { sha, parentSha, message, turnId, additions, deletions } = data;
  if (git.commits.some((known) => known.sha === sha)) return git;
  const commit = { sha, parentSha, message, turnId, additions, deletions, at };
  return {
    ...git,
    headSha: sha,
    commits: [...git.commits, commit].slice(-MAX_KEPT_COMMITS),
    commitCount: git.commitCount + 1,
    skipped: data.skipped,
  };
}

/** Drops the checkpoint: the branch now contains all work, and restoring an older checkpoint would revert it. */
function pushed(git: GitState, sha: string): GitState {
  return { ...git, headSha: sha, pushedSha: sha, outside: null, checkpoint: null };
}

function ofPullRequest(
  git: GitState,
  number: number,
  change: Partial<NonNullable<GitState['pullRequest']>>,
): GitState {
  // Ignore events about another pull request: the branch may have had one before.
  if (git.pullRequest?.number !== number) return git;
  return { ...git, pullRequest: { ...git.pullRequest, ...change } };
}
