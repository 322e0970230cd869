import type { Forge } from '../forge.ts';
import { nodeId } from '../graphql/node-id.ts';
import type { Actor } from '../http/actor.ts';
import type { RepositoryRow } from '../store/rows.ts';
import { userJson } from '../users/to-json.ts';

export function repositoryUrl(forge: Forge, repository: RepositoryRow): string {
  return `${forge.urls.api}/repos/${repository.owner}/${repository.name}`;
}

export function repositoryHtmlUrl(forge: Forge, repository: RepositoryRow): string {
  return `${forge.urls.html}/${repository.owner}/${repository.name}`;
}

function links(forge: Forge, repository: RepositoryRow) {
  const url = repositoryUrl(forge, repository);
  const clone = `${forge.urls.git}/${repository.owner}/${repository.name}.git`;
  return {
    html_url: repositoryHtmlUrl(forge, repository),
    url,
    archive_url: `${url}/{archive_format}{/ref}`,
    assignees_url: `${url}/assignees{/user}`,
    blobs_url: `${url}/git/blobs{/sha}`,
    branches_url: `${url}/branches{/branch}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    comments_url: `${url}/comments{/number}`,
    commits_url: `${url}/commits{/sha}`,
    compare_url: `${url}/compare/{base}...{head}`,
    contents_url: `${url}/contents/{+path}`,
    contributors_url: `${url}/contributors`,
    deployments_url: `${url}/deployments`,
    downloads_url: `${url}/downloads`,
    events_url: `${url}/events`,
    forks_url: `${url}/forks`,
    git_commits_url: `${url}/git/commits{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    git_url: clone,
    issue_comment_url: `${url}/issues/comments{/number}`,
    issue_events_url: `${url}/issues/events{/number}`,
    issues_url: `${url}/issues{/number}`,
    keys_url: `${url}/keys{/key_id}`,
    labels_url: `${url}/labels{/name}`,
    languages_url: `${url}/languages`,
    merges_url: `${url}/merges`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    pulls_url: `${url}/pulls{/number}`,
    releases_url: `${url}/releases{/id}`,
    ssh_url: clone,
    stargazers_url: `${url}/stargazers`,
    statuses_url: `${url}/statuses/{sha}`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    tags_url: `${url}/tags`,
    teams_url: `${url}/teams`,
    trees_url: `${url}/git/trees{/sha}`,
    clone_url: clone,
    mirror_url: null,
    hooks_url: `${url}/hooks`,
    svn_url: repositoryHtmlUrl(forge, repository),
  };
}

/** Fits GitHub's full, plain and minimal repository schemas alike. */
export function repositoryJson(forge: Forge, repository: RepositoryRow, actor?: Actor) {
  const openIssues = forge.store.repositories.openIssueCount(repository.id);
  const canWrite = actor?.canWrite ?? true;
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: `${repository.owner}/${repository.name}`,
    owner: userJson(forge, forge.store.users.findOrCreate(repository.owner)),
    private: true,
    visibility: 'private',
    description: repository.description,
    fork: false,
    ...links(forge, repository),
    homepage: null,
    language: null,
    forks_count: 0,
    stargazers_count: 0,
    watchers_count: 0,
    size: 0,
    default_branch: repository.default_branch,
    open_issues_count: openIssues,
    is_template: false,
    topics: [],
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: false,
    has_discussions: false,
    archived: repository.archived === 1,
    disabled: false,
    pushed_at: repository.pushed_at,
    created_at: repository.created_at,
    updated_at: repository.updated_at,
    permissions: {
      admin: canWrite,
      maintain: canWrite,
      push: canWrite,
      triage: canWrite,
      pull: true,
    },
    allow_rebase_merge: true,
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_auto_merge: false,
    allow_forking: false,
    delete_branch_on_merge: repository.delete_branch_on_merge === 1,
    subscribers_count: 0,
    network_count: 0,
    license: null,
    forks: 0,
    open_issues: openIssues,
    watchers: 0,
  };
}
