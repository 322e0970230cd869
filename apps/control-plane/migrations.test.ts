import { readFileSync } from 'node:fs';
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api';
import { describe, expect, it } from 'vitest';
import { migrationsModule } from './generate-migrations.ts';
import * as schema from './src/workspace/schema.ts';

const folder = new URL('src/workspace/drizzle/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');

describe('generated migrations', () => {
  it('[WS4] lead to the current schema: no change without a generated migration', async () => {
    const { entries } = JSON.parse(read('meta/_journal.json')) as { entries: { idx: number }[] };
    const newest = String(entries.at(-1)?.idx ?? 0).padStart(4, '0');
    type Snapshot = Awaited<ReturnType<typeof generateSQLiteDrizzleJson>>;
    const snapshot = JSON.parse(read(`meta/${newest}_snapshot.json`)) as Snapshot;
    const current = await generateSQLiteDrizzleJson(schema, snapshot.id);
    expect(await generateSQLiteMigration(snapshot, current)).toEqual([]);
  });

  it('[WS4] are bundled as generated', () => {
    expect(read('migrations.gen.ts')).toBe(migrationsModule());
  });
});
