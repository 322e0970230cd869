import type { SubmoduleSource } from '@ship/core';
import {
  type ForgeBindings,
  type ForgeKind,
  forgeAddress,
  forgeFor,
  type RepositoryName,
} from './address.ts';
import { connectForge } from './github.ts';

type WantedRepository = Extract<SubmoduleSource, { kind: 'forge' | 'folder' }>;

/** The repositories that people added to Ship. */
export interface AddedRepositories {
  /** The base address of the forge's repositories. */
  gitUrl(kind: ForgeKind): string;
  /** The repository's name at that forge; undefined when it was not added to Ship. */
  find(kind: ForgeKind, wanted: WantedRepository): Promise<RepositoryName | undefined>;
}

/** Each folder costs a request to the local forge. */
const MAX_FOLDERS = 50;

export function addedRepositories(
  bindings: ForgeBindings,
  locations: () => Promise<readonly string[]>,
): AddedRepositories {
  const nameOfFolder = async (folder: string): Promise<RepositoryName | undefined> => {
    try {
      const { owner, name } = await connectForge(folder, bindings);
      return { owner, name };
    } catch {
      // It was deleted, or is no longer a repository.
      return undefined;
    }
  };
  return {
    gitUrl: (kind) => forgeAddress(kind, bindings).gitUrl,
    async find(kind, wanted) {
      const added = await locations();
      const folders = kind === 'local' ? added.filter((one) => one.startsWith('/')) : [];
      if (wanted.kind === 'folder') {
        const folder = folders.find((one) => pathOf(one) === pathOf(wanted.path));
        return folder === undefined ? undefined : nameOfFolder(folder);
      }
      for (const location of added) {
        const repository = atForge(location, kind, bindings);
        if (repository !== undefined && isSame(repository, wanted)) return repository;
      }
      for (const folder of folders.slice(0, MAX_FOLDERS)) {
        const repository = await nameOfFolder(folder);
        if (repository !== undefined && isSame(repository, wanted)) return repository;
      }
      return undefined;
    },
  };
}

const pathOf = (folder: string): string => folder.replace(/\/+$/, '');

/** Names are case-insensitive. */
function isSame(one: RepositoryName, other: RepositoryName): boolean {
  const [a, b] = [one, other].map(({ owner, name }) => `${owner}/${name}`.toLowerCase());
  return a === b;
}

function atForge(
  location: string,
  kind: ForgeKind,
  bindings: ForgeBindings,
): RepositoryName | undefined {
  try {
    const target = forgeFor(location, bindings);
    return 'repository' in target && target.address.kind === kind ? target.repository : undefined;
  } catch {
    // Its forge is no longer configured.
    return undefined;
  }
}
