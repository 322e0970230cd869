import type { Commit, Signature } from '../git/commits.ts';
import type { ChangedFile } from '../git/diff-parse.ts';
import { totals } from '../git/diff.ts';
import { type Forge } from '../forge.ts';
import { nodeId } from '../graphql/node-id.ts';
import { repositoryHtmlUrl, repositoryUrl } from '../repositories/to-json.ts';
import type { RepositoryRow } from '../store/rows.ts';
import { userJson } from '../users/to-json.ts';

const unsigned = {
  verified: false,
  reason: 'unsigned',
  signature: null,
  payload: null,
  verified_at: null,
};

function userOf(forge: Forge, signature: Signature) {
  const user = forge.store.users.byEmail(signature.email);
  return user === undefined ? null : userJson(forge, user);
}

export function commitJson(forge: Forge, repository: RepositoryRow, commit: Commit) {
  const api = repositoryUrl(forge, repository);
  const html = repositoryHtmlUrl(forge, repository);
  return {
    url: `${api}/commits/${commit.sha}`,
    sha: commit.sha,
    node_id: nodeId('C', repository.id, commit.sha),
    html_url: `${html}/commit/${commit.sha}`,
    comments_url: `${api}/commits/${commit.sha}/comments`,
    commit: {
      url: `${api}/git/commits/${commit.sha}`,
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      comment_count: 0,
      tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
      verification: unsigned,
    },
    author: userOf(forge, commit.author),
    committer: userOf(forge, commit.committer),
    parents: parentsJson(api, html, commit),
  };
}

function parentsJson(api: string, html: string, commit: Commit) {
  return commit.parents.map((sha) => ({
    sha,
    url: `${api}/commits/${sha}`,
    html_url: `${html}/commit/${sha}`,
  }));
}

export function commitWithFilesJson(
  forge: Forge,
  repository: RepositoryRow,
  commit: Commit,
  files: readonly ChangedFile[],
) {
  const { additions, deletions } = totals(files);
  return {
    ...commitJson(forge, repository, commit),
    stats: { additions, deletions, total: additions + deletions },
    files: files.map((file) => fileJson(forge, repository, file, commit.sha)),
  };
}

/** `GET …/git/commits/:sha`. */
export function gitCommitJson(forge: Forge, repository: RepositoryRow, commit: Commit) {
  const api = repositoryUrl(forge, repository);
  const html = repositoryHtmlUrl(forge, repository);
  return {
    sha: commit.sha,
    node_id: nodeId('C', repository.id, commit.sha),
    url: `${api}/git/commits/${commit.sha}`,
    html_url: `${html}/commit/${commit.sha}`,
    author: commit.author,
    committer: commit.committer,
    message: commit.message,
    tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
    parents: parentsJson(api, html, commit),
    verification: unsigned,
  };
}

export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

export function fileJson(forge: Forge, repository: RepositoryRow, file: ChangedFile, ref: string) {
  const api = repositoryUrl(forge, repository);
  const html = repositoryHtmlUrl(forge, repository);
  const path = encodePath(file.path);
  return {
    sha: file.blob,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${html}/blob/${ref}/${path}`,
    raw_url: `${html}/raw/${ref}/${path}`,
    contents_url: `${api}/contents/${path}?ref=${ref}`,
    ...(file.patch === undefined ? {} : { patch: file.patch }),
    ...(file.previousPath === undefined ? {} : { previous_filename: file.previousPath }),
  };
}
