import {
  Repository,
  type RepositoryCreate,
  type RepositoryEdit,
  type RepositoryId,
  type RepositoryList,
  createId,
  fail,
} from '@ship/protocol';
import { asc, count, eq } from 'drizzle-orm';
import type { ChangeLog } from './change-log.ts';
import type { Database } from './database.ts';
import { repositories, secrets } from './schema.ts';

const MAX_REPOSITORIES = 1000;

/** The team's repositories, with their setup and verification commands. */
export class Repositories {
  readonly #db: Database;
  readonly #changes: ChangeLog;

  constructor(db: Database, changes: ChangeLog) {
    this.#db = db;
    this.#changes = changes;
  }

  list(): RepositoryList {
    const rows = this.#db
      .select()
      .from(repositories)
      .orderBy(asc(repositories.name), asc(repositories.repositoryId))
      .limit(MAX_REPOSITORIES)
      .all();
    return { repositories: rows.map(view) };
  }

  create({ location, name, ...rest }: RepositoryCreate): Repository {
    const existing = this.findByLocation(location);
    if (existing !== undefined) {
      fail(
        'repository-exists',
        `${existing.location} already exists, as ${existing.name}.`,
        `Change it in Settings → Repositories, with ship repo set, or by PATCH /api/repositories/${existing.repositoryId}.`,
      );
    }
    const { total } = this.#db.select({ total: count() }).from(repositories).get() ?? { total: 0 };
    if (total >= MAX_REPOSITORIES) {
      fail(
        'limit-reached',
        `A workspace has at most ${MAX_REPOSITORIES} repositories.`,
        'Remove one that is no longer used.',
      );
    }
    const now = Date.now();
    const row = this.#db
      .insert(repositories)
      .values({
        ...rest,
        repositoryId: createId('rep'),
        location,
        locationKey: locationKey(location),
        name: name ?? nameOf(location),
        createdAt: now,
        updatedAt: now,
      })
      .returning()
      .get();
    return this.#publish(row);
  }

  edit(repositoryId: RepositoryId, edit: RepositoryEdit): Repository {
    this.require(repositoryId);
    const row = this.#db
      .update(repositories)
      .set({ ...edit, updatedAt: Date.now() })
      .where(eq(repositories.repositoryId, repositoryId))
      .returning()
      .get();
    return this.#publish(row);
  }

  /** Deletes its secrets too: nothing could use them anymore. */
  remove(repositoryId: RepositoryId): void {
    this.require(repositoryId);
    this.#db.delete(repositories).where(eq(repositories.repositoryId, repositoryId)).run();
    this.#db.delete(secrets).where(eq(secrets.scope, repositoryId)).run();
    this.#changes.record({ type: 'repository.removed', repositoryId });
  }

  require(repositoryId: RepositoryId): Repository {
    const row = this.#db
      .select()
      .from(repositories)
      .where(eq(repositories.repositoryId, repositoryId))
      .get();
    if (row !== undefined) return view(row);
    return fail(
      'not-found',
      `There is no repository ${repositoryId}.`,
      'See GET /api/repositories for existing ones.',
    );
  }

  findByLocation(location: string): Repository | undefined {
    const row = this.#db
      .select()
      .from(repositories)
      .where(eq(repositories.locationKey, locationKey(location)))
      .get();
    return row === undefined ? undefined : view(row);
  }

  #publish(row: typeof repositories.$inferSelect): Repository {
    const repository = view(row);
    this.#changes.record({ type: 'repository.changed', repository });
    return repository;
  }
}

const view = (row: typeof repositories.$inferSelect): Repository => Repository.parse(row);

/** `https://host/a/b`, `https://host/a/b/` and `https://host/a/b.git` are the same repository. */
function locationKey(location: string): string {
  return location.replace(/\/+$/, '').replace(/\.git$/, '');
}

function nameOf(location: string): string {
  return (locationKey(location).split(/[/:]/).at(-1) || location).slice(0, 100);
}
