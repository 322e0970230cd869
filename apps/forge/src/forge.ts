import type { RepositoryPaths } from './git/environment.ts';
import type { SerialQueues } from './git/serial-queue.ts';
import type { Authenticator } from './http/actor.ts';
import type { ParsedOptions } from './options.ts';
import type { RepositoryRow } from './store/rows.ts';
import type { Store } from './store/store.ts';
import type { Outbox } from './webhooks/outbox.ts';

export interface Urls {
  api: string;
  git: string;
  html: string;
}

/** Dependencies of every route and job, built once at startup. */
export interface Forge {
  readonly options: ParsedOptions;
  readonly root: string;
  readonly neutralDir: string;
  /** Folder of the hooks that git runs during pushes. */
  readonly hooksDir: string;
  readonly urls: Urls;
  readonly store: Store;
  readonly queues: SerialQueues;
  readonly outbox: Outbox;
  readonly authenticator: Authenticator;
  readonly now: () => Date;
  readonly log: (line: string) => void;
}

export function pathsOf(forge: Forge, repository: RepositoryRow): RepositoryPaths {
  const { git_dir: gitDir, folder } = repository;
  return { gitDir, neutralDir: forge.neutralDir, folder };
}
