import {
  type ProviderId,
  type ProviderInfo,
  type ProviderList,
  type ProviderWrite,
  fail,
  openSettings,
} from '@ship/protocol';
import { and, asc, count, eq, isNotNull, ne } from 'drizzle-orm';
import * as z from 'zod';
import type { Database } from './database.ts';
import type { Keyring } from './keyring.ts';
import { providers } from './schema.ts';

const MAX_PROVIDERS = 100;

const ProviderSecrets = z.object({
  key: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
});
type ProviderSecrets = z.infer<typeof ProviderSecrets>;

/** For the model gateway only. `secrets` is null when they cannot be decrypted. */
export interface OpenProvider extends ProviderInfo {
  secrets: ProviderSecrets | null;
}

type Row = typeof providers.$inferSelect;

const NO_SECRETS: ProviderSecrets = { key: null, headers: {} };

/** Stored model providers. Keys and headers are encrypted like secrets and never reach a sandbox. */
export class Providers {
  readonly #db: Database;
  readonly #keyring: Keyring;

  constructor(db: Database, keyring: Keyring) {
    this.#db = db;
    this.#keyring = keyring;
  }

  list(): ProviderList {
    return { providers: this.#rows().map(infoOf) };
  }

  async open(): Promise<OpenProvider[]> {
    return Promise.all(
      this.#rows().map(async (row) => ({
        ...infoOf(row),
        secrets: (await this.#secretsOf(row)) ?? null,
      })),
    );
  }

  async write(providerId: ProviderId, write: ProviderWrite): Promise<ProviderInfo> {
    const before = this.#find(providerId);
    const { protocol, baseUrl, models } = write;
    const { key, headers } = await this.#nextSecrets(write, before);
    const config = {
      name: write.name ?? providerId,
      protocol,
      baseUrl,
      models,
      hasKey: key !== null,
      headerNames: Object.keys(headers).sort(),
    };
    const isEmpty = key === null && config.headerNames.length === 0;
    const sealed = isEmpty
      ? { keyId: null, sealed: null }
      : await this.#keyring.seal(JSON.stringify({ key, headers }), contextOf(providerId));
    if (this.#find(providerId) === undefined) this.#requireRoom();
    const row = { providerId, config, ...sealed, updatedAt: Date.now() };
    this.#db
      .insert(providers)
      .values(row)
      .onConflictDoUpdate({ target: providers.providerId, set: row })
      .run();
    return infoOf(row);
  }

  remove(providerId: ProviderId): void {
    const deleted = this.#db
      .delete(providers)
      .where(eq(providers.providerId, providerId))
      .returning({ providerId: providers.providerId })
      .all();
    if (deleted.length === 0) {
      fail(
        'not-found',
        `There is no stored provider ${providerId}.`,
        'See GET /api/providers; remove those of the environment or of models.json at their source.',
      );
    }
  }

  /** Re-encrypts secrets of older keys with the newest one; returns their number. */
  async rotate(): Promise<number> {
    const keyId = await this.#keyring.newestKeyId();
    const stale = and(isNotNull(providers.sealed), ne(providers.keyId, keyId));
    const rows = this.#db.select().from(providers).where(stale).all();
    for (const row of rows) {
      const secrets = (await this.#secretsOf(row)) ?? unreadable(row.providerId);
      const sealed = await this.#keyring.seal(JSON.stringify(secrets), contextOf(row.providerId));
      // Do not overwrite a key that was set during encryption.
      const same = and(
        eq(providers.providerId, row.providerId),
        eq(providers.sealed, row.sealed ?? ''),
      );
      this.#db.update(providers).set(sealed).where(same).run();
    }
    return rows.length;
  }

  /**
   * Omitted secrets are kept only while requests go to the same server: otherwise a user who changes the URL could have the key
   * sent to their own server.
   */
  async #nextSecrets(write: ProviderWrite, before: Row | undefined): Promise<ProviderSecrets> {
    const hasMoved =
      before !== undefined && originOf(before.config.baseUrl) !== originOf(write.baseUrl);
    const needsOld = write.key === undefined || write.headers === undefined;
    const old =
      before === undefined || hasMoved || !needsOld
        ? NO_SECRETS
        : ((await this.#secretsOf(before)) ?? unreadable(before.providerId));
    return {
      key: write.key === undefined ? old.key : write.key,
      headers: write.headers ?? old.headers,
    };
  }

  async #secretsOf({ providerId, keyId, sealed }: Row): Promise<ProviderSecrets | undefined> {
    if (keyId === null || sealed === null) return NO_SECRETS;
    const text = await this.#keyring.open({ keyId, sealed }, contextOf(providerId));
    return text === undefined ? undefined : ProviderSecrets.parse(JSON.parse(text));
  }

  #find(providerId: ProviderId): Row | undefined {
    return this.#db.select().from(providers).where(eq(providers.providerId, providerId)).get();
  }

  #rows(): Row[] {
    return this.#db
      .select()
      .from(providers)
      .orderBy(asc(providers.providerId))
      .limit(MAX_PROVIDERS)
      .all();
  }

  #requireRoom(): void {
    const { total } = this.#db.select({ total: count() }).from(providers).get() ?? { total: 0 };
    if (total < MAX_PROVIDERS) return;
    fail(
      'limit-reached',
      `A workspace has at most ${MAX_PROVIDERS} providers.`,
      'Delete one that is no longer used.',
    );
  }
}

function infoOf({ providerId, config }: Pick<Row, 'providerId' | 'config'>): ProviderInfo {
  return { providerId, ...config, source: 'workspace', isDemo: false };
}

const originOf = (url: string): string => new URL(url).origin;

const contextOf = (providerId: ProviderId): string => `ship provider v1\n${providerId}`;

function unreadable(providerId: ProviderId): never {
  return fail(
    'secret-unreadable',
    `The key of the provider ${providerId} cannot be decrypted: it was changed outside Ship, or its key is missing.`,
    'Restore the key that encrypted it, or set the key of the provider again.',
    openSettings('models'),
  );
}
