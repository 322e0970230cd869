/**
 * Generates the migration from the newest existing one to `src/workspace/schema.ts`, and writes all migrations to one
 * TypeScript module: workerd, wrangler, esbuild and the test runner can all load that, but not SQL files.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('src/workspace/drizzle/', import.meta.url);
const MODULE = new URL('migrations.gen.ts', FOLDER);

/** The module text for the migrations in the journal. */
export function migrationsModule(): string {
  const journal = JSON.parse(readFileSync(new URL('meta/_journal.json', FOLDER), 'utf8')) as {
    entries: { tag: string }[];
  };
  const texts = journal.entries.map(({ tag }) =>
    readFileSync(new URL(`${tag}.sql`, FOLDER), 'utf8'),
  );
  return [
    '/** Written by generate-migrations.ts: do not edit. */',
    'export const GENERATED_MIGRATIONS: readonly string[] = [',
    ...texts.map((text) => `  ${JSON.stringify(text)},`),
    '];',
    '',
  ].join('\n');
}

if (import.meta.main) {
  execFileSync('drizzle-kit', ['generate', ...process.argv.slice(2)], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: 'inherit',
  });
  writeFileSync(MODULE, migrationsModule());
}
