import type { Place } from './git/environment.ts';
import type { Lanes } from './git/lane.ts';
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

/** What every part works with; made once at the start. */
export interface Forge {
  readonly options: ParsedOptions;
  readonly root: string;
  readonly neutralDir: string;
  /** Where git finds what it asks about protected branches. */
  readonly hooksDir: string;
  readonly urls: Urls;
  readonly store: Store;
  readonly lanes: Lanes;
  readonly outbox: Outbox;
  readonly authenticator: Authenticator;
  readonly now: () => Date;
  readonly log: (line: string) => void;
}

export function placeOf(forge: Forge, repository: RepositoryRow): Place {
  const { git_dir: gitDir, folder } = repository;
  return { gitDir, neutralDir: forge.neutralDir, folder };
}
