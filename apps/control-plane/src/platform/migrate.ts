/**
 * Migrates a Durable Object's tables to the newest schema. Steps are numbered by position; never edit a released one:
 * objects hibernate for months and wake under a newer version.
 */
export function migrate(storage: DurableObjectStorage, steps: readonly string[]): void {
  const { sql } = storage;
  sql.exec(
    'CREATE TABLE IF NOT EXISTS migrations (step INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT',
  );
  const { done } = sql.exec<{ done: number }>('SELECT COUNT(*) AS done FROM migrations').one();
  for (const [index, step] of steps.entries()) {
    if (index < done) continue;
    // One transaction: a crash between the step and its record would run the step twice.
    storage.transactionSync(() => {
      sql.exec(step);
      sql.exec('INSERT INTO migrations (step, at) VALUES (?, ?)', index + 1, Date.now());
    });
  }
}
