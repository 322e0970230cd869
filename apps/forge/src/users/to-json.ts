import type { Forge } from '../forge.ts';
import type { RepositoryRow, UserRow } from '../store/rows.ts';
import { nodeId } from '../graphql/node-id.ts';

export function userJson(forge: Forge, user: UserRow) {
  const url = `${forge.urls.api}/users/${user.login}`;
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId('U', user.id),
    avatar_url: `${forge.urls.html}/avatars/${user.login}`,
    gravatar_id: '',
    url,
    html_url: `${forge.urls.html}/${user.login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: 'User',
    site_admin: false,
  };
}

/** `GET /user`, with the fields that only the user sees. */
export function privateUserJson(forge: Forge, user: UserRow) {
  return {
    ...userJson(forge, user),
    name: user.name,
    company: null,
    blog: '',
    location: null,
    email: user.email,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: user.created_at,
    updated_at: user.created_at,
    private_gists: 0,
    total_private_repos: 0,
    owned_private_repos: 0,
    disk_usage: 0,
    collaborators: 0,
    two_factor_authentication: false,
  };
}

export function associationOf(user: UserRow, repository: RepositoryRow): 'OWNER' | 'COLLABORATOR' {
  return user.login.toLowerCase() === repository.owner.toLowerCase() ? 'OWNER' : 'COLLABORATOR';
}
