import { and, desc, eq, ne } from 'drizzle-orm';
import type { KeptSetupList, Settings } from '@ship/protocol';
import type { KeptSetup, SetupChange, SetupQuestion } from '../setups/port.ts';
import type { Database } from './database.ts';
import { setups } from './schema.ts';

/** Limits per repository and per sandbox service: each kept setup is a copy of all files that a setup created. */
const MAX_PER_REPOSITORY = 3;
const MAX_PER_PROVIDER = 8;

/** The index of kept setups. The sandbox service stores their files. */
export class Setups {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  change(change: SetupChange, nowMs: number): string[] {
    if (change.kind === 'keep') return this.#keep(change.setup, nowMs);
    if (change.kind === 'use') this.#use(change.name, nowMs);
    else this.#drop(change.name);
    return [];
  }

  list(): KeptSetupList {
    return { setups: this.#db.select().from(setups).orderBy(desc(setups.usedAt)).all() };
  }

  find(question: SetupQuestion, { sandboxProvider }: Settings): KeptSetup | null {
    const { repository, base } = question;
    const provider = question.provider ?? sandboxProvider;
    const row = this.#db
      .select()
      .from(setups)
      .where(
        and(
          eq(setups.repository, repository),
          eq(setups.base, base),
          eq(setups.provider, provider),
          // Skip rows of older versions, which took the command from the sandbox of a session.
          ne(setups.key, ''),
        ),
      )
      .orderBy(desc(setups.madeAt))
      .get();
    if (row === undefined) return null;
    const { usedAt: _, ...kept } = row;
    return kept;
  }

  /** Returns the names that it evicts: those that it replaces, and the least recently used. */
  #keep(setup: KeptSetup, nowMs: number): string[] {
    const row = { ...setup, usedAt: nowMs };
    this.#db.insert(setups).values(row).onConflictDoUpdate({ target: setups.name, set: row }).run();
    const others = this.#db
      .select()
      .from(setups)
      .where(and(eq(setups.provider, setup.provider), ne(setups.name, setup.name)))
      .orderBy(desc(setups.usedAt))
      .all();
    const isOfRepository = ({ repository }: KeptSetup) => repository === setup.repository;
    const evicted = new Set(
      [
        ...others.filter((other) => isOfRepository(other) && other.base === setup.base),
        ...others.filter(isOfRepository).slice(MAX_PER_REPOSITORY - 1),
        ...others.slice(MAX_PER_PROVIDER - 1),
      ].map(({ name }) => name),
    );
    for (const name of evicted) this.#drop(name);
    return [...evicted];
  }

  #use(name: string, nowMs: number): void {
    this.#db.update(setups).set({ usedAt: nowMs }).where(eq(setups.name, name)).run();
  }

  #drop(name: string): void {
    this.#db.delete(setups).where(eq(setups.name, name)).run();
  }
}
