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

/** Secrets at rest. The API only writes values; only other Durable Objects of the control plane read them. */
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

  /** Calls `admit` after the async encryption: the repository may have been removed meanwhile. */
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
    const deleted = this.#db
      .delete(secrets)
      .where(and(eq(secrets.scope, scope), eq(secrets.name, name)))
      .returning({ name: secrets.name })
      .all();
    if (deleted.length === 0) {
      fail(
        'not-found',
        `There is no secret ${name} in this scope.`,
        'See GET /api/secrets for existing ones.',
      );
    }
  }

  /** All secrets for a session on this repository: the workspace's, overridden by the repository's. */
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

  /** The secrets with these names. An unreadable one counts as missing. */
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

  /** Re-encrypts secrets of older keys with the newest one; returns their number. Idempotent. */
  async rotate(): Promise<number> {
    const keyId = await this.#keyring.newestKeyId();
    const rows = this.#db.select().from(secrets).where(ne(secrets.keyId, keyId)).all();
    for (const row of rows) {
      const value = await this.#open(row);
      const sealed = await this.#keyring.seal(value, contextOf(row.scope, row.name));
      // Do not overwrite a value that was set during encryption.
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
        'Restore the key that encrypted it, or set the secret again.',
        openSettings('secrets'),
      )
    );
  }
}

const scopeOf = (repositoryId: RepositoryId | null): string => repositoryId ?? WORKSPACE_SCOPE;

const ownerOf = (scope: string): RepositoryId | null =>
  scope === WORKSPACE_SCOPE ? null : RepositoryIdSchema.parse(scope);

const contextOf = (scope: string, name: string): string => `ship secret v1\n${scope}\n${name}`;
