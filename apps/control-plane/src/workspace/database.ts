import { type DrizzleSqliteDODatabase, drizzle } from 'drizzle-orm/durable-sqlite';
import { migrate } from '../platform/migrate.ts';
import { GENERATED_MIGRATIONS } from './drizzle/migrations.gen.ts';

/** The first step, which predates generated migrations: existing objects continue from here. */
const IDENTITY_TABLE = `CREATE TABLE identity (
     one INTEGER PRIMARY KEY CHECK (one = 1),
     workspace_id TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT`;

export type Database = DrizzleSqliteDODatabase;

export function openDatabase(storage: DurableObjectStorage): Database {
  migrate(storage, [IDENTITY_TABLE, ...GENERATED_MIGRATIONS]);
  return drizzle(storage);
}
