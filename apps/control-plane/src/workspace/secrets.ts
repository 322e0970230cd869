import {
  type RepositoryId,
  RepositoryId as RepositoryIdSchema,
  type SecretInfo,
  type SecretList,
  type SecretName,
  type SecretRef,
  fail,
  openSettings,
} from '@ship/protocol';
import { and, asc, count, eq, inArray, ne } from 'drizzle-orm';
import type { Database } from './database.ts';
import type { Keyring } from './keyring.ts';
import { secrets } from './schema.ts';

const MAX_SECRETS = 1000;
const WORKSPACE_SCOPE = '';

/** Secrets at rest. Values go in over the API and come out only to other objects of the control plane. */
export class Secrets {
  readonly #db: Database;
  readonly #keyring: Keyring;

  constructor(db: Database, keyring: Keyring) {
    this.#db = db;
    this.#keyring = keyring;
  }

  list(): SecretList {
    const rows = this.#db
      .select({ scope: secrets.scope, name: secrets.name, updatedAt: secrets.updatedAt })
      .from(secrets)
      .orderBy(asc(secrets.scope), asc(secrets.name))
      .limit(MAX_SECRETS)
      .all();
    return {
      secrets: rows.map(({ scope, ...rest }) => ({ ...rest, repositoryId: ownerOf(scope) })),
    };
  }

  /** `admit` is asked after the wait for the cipher: the repository may have been removed meanwhile. */
  async write(ref: SecretRef, value: string, admit: () => void): Promise<SecretInfo> {
    const scope = scopeOf(ref.repositoryId);
    const sealed = await this.#keyring.seal(value, contextOf(scope, ref.name));
    admit();
    this.#requireRoom();
    const row = { scope, name: ref.name, ...sealed, updatedAt: Date.now() };
    this.#db
      .insert(secrets)
      .values(row)
      .onConflictDoUpdate({ target: [secrets.scope, secrets.name], set: row })
      .run();
    return { ...ref, updatedAt: row.updatedAt };
  }

  remove({ name, repositoryId }: SecretRef): void {
    const scope = scopeOf(repositoryId);
    const gone = this.#db
      .delete(secrets)
      .where(and(eq(secrets.scope, scope), eq(secrets.name, name)))
      .returning({ name: secrets.name })
      .all();
    if (gone.length === 0) {
      fail(
        'not-found',
        `There is no secret ${name} there.`,
        'See GET /api/secrets for those that are.',
      );
    }
  }

  /** All that a session on this repository may use: the workspace's, overruled by the repository's own. */
  async readAll(repositoryId: RepositoryId | null): Promise<Record<SecretName, string>> {
    const scopes = [...new Set([WORKSPACE_SCOPE, scopeOf(repositoryId)])];
    const rows = this.#db
      .select()
      .from(secrets)
      .where(inArray(secrets.scope, scopes))
      .orderBy(asc(secrets.scope), asc(secrets.name))
      .all();
    const values: Record<SecretName, string> = {};
    for (const row of rows) values[row.name] = await this.#open(row);
    return values;
  }

  /** Those of the names that there are. One that cannot be decrypted counts as not there. */
  async readSome(
    repositoryId: RepositoryId | null,
    names: readonly string[],
  ): Promise<Record<SecretName, string>> {
    if (names.length === 0) return {};
    const scopes = [...new Set([WORKSPACE_SCOPE, scopeOf(repositoryId)])];
    const rows = this.#db
      .select()
      .from(secrets)
      .where(and(inArray(secrets.scope, scopes), inArray(secrets.name, [...names])))
      .orderBy(asc(secrets.scope))
      .all();
    const values: Record<SecretName, string> = {};
    for (const row of rows) {
      const value = await this.#keyring.open(row, contextOf(row.scope, row.name));
      if (value !== undefined) values[row.name] = value;
    }
    return values;
  }

  /** Seals with the newest key what an older one sealed; how many those were. Safe to repeat. */
  async rotate(): Promise<number> {
    const keyId = await this.#keyring.newestKeyId();
    const rows = this.#db.select().from(secrets).where(ne(secrets.keyId, keyId)).all();
    for (const row of rows) {
      const value = await this.#open(row);
      const sealed = await this.#keyring.seal(value, contextOf(row.scope, row.name));
      // Somebody may have written a new value while this one was being sealed: that one stays.
      this.#db
        .update(secrets)
        .set(sealed)
        .where(
          and(
            eq(secrets.scope, row.scope),
            eq(secrets.name, row.name),
            eq(secrets.sealed, row.sealed),
          ),
        )
        .run();
    }
    return rows.length;
  }

  #requireRoom(): void {
    const { total } = this.#db.select({ total: count() }).from(secrets).get() ?? { total: 0 };
    if (total < MAX_SECRETS) return;
    fail(
      'limit-reached',
      `A workspace has at most ${MAX_SECRETS} secrets.`,
      'Delete one that is no longer used.',
    );
  }

  async #open(row: typeof secrets.$inferSelect): Promise<string> {
    return (
      (await this.#keyring.open(row, contextOf(row.scope, row.name))) ??
      fail(
        'secret-unreadable',
        `The secret ${row.name} cannot be decrypted: it was changed outside Ship, or its key is missing.`,
        'Bring back the key with which it was stored, or set the secret again.',
        openSettings('secrets'),
      )
    );
  }
}

const scopeOf = (repositoryId: RepositoryId | null): string => repositoryId ?? WORKSPACE_SCOPE;

const ownerOf = (scope: string): RepositoryId | null =>
  scope === WORKSPACE_SCOPE ? null : RepositoryIdSchema.parse(scope);

const contextOf = (scope: string, name: string): string => `ship secret v1\n${scope}\n${name}`;
