import type { Repository, SessionSummary } from '@ship/protocol';
import { repositoryName } from '../../ui/format.ts';

export interface RepositoryChoice {
  readonly location: string;
  readonly name: string;
  readonly group: 'Recent' | 'All';
}

const maxRecent = 5;

/** Lists each repository once: recently used ones first, then the others by name. */
export function choicesOf(
  sessions: readonly Pick<SessionSummary, 'repository'>[],
  repositories: readonly Pick<Repository, 'location' | 'name'>[],
): readonly RepositoryChoice[] {
  const names = new Map(repositories.map(({ location, name }) => [location, name]));
  const used = [...new Set(sessions.map(({ repository }) => repository))].slice(0, maxRecent);
  const recent = used.map((location) => ({
    location,
    name: names.get(location) ?? repositoryName(location),
    group: 'Recent' as const,
  }));
  const rest = repositories
    .filter(({ location }) => !used.includes(location))
    .map(({ location, name }) => ({ location, name, group: 'All' as const }))
    .sort((a, b) => a.name.localeCompare(b.name));
  return [...recent, ...rest];
}

/** Whether the text can be a location: a URL, an scp-like address or an absolute path. */
export const looksLikeLocation = (text: string): boolean =>
  /^(\/\S|https?:\/\/\S+\.?\S|ssh:\/\/|git:\/\/|[\w.-]+@[\w.-]+:\S)/.test(text.trim());
