import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { createId } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../platform/result.ts';
import { listed, newWorkspace, report, summary } from '../testing/workspace.ts';
import { GENERATED_MIGRATIONS } from './drizzle/migrations.gen.ts';

const titles = async (stub: ReturnType<typeof newWorkspace>, q: string) =>
  (await listed(stub, { q })).sessions.map(({ title }) => title).sort();

describe('searching the sessions', () => {
  it('[FW4] the index finds the same as a full scan, after any changes and removals', async () => {
    // Few letters, so that trigrams overlap; includes operators of the index.
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', '漢', '😀', '"', '*', '-', '(', ':'),
      minLength: 1,
      maxLength: 5,
    });
    const change = fc.record({
      who: fc.nat({ max: 3 }),
      words: fc.array(word, { minLength: 1, maxLength: 3 }),
      isRemoval: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 10 }),
        fc.array(word, { minLength: 1, maxLength: 2 }),
        async (changes, queryWords) => {
          const stub = newWorkspace();
          const ids = Array.from({ length: 4 }, () => createId('ses'));
          const known = new Map<string, string>();
          const removed = new Set<string>();
          for (const [at, { who, words, isRemoval }] of changes.entries()) {
            const sessionId = ids[who] ?? createId('ses');
            const title = words.join(' ');
            if (isRemoval) {
              unwrap(await stub.removeSession(sessionId));
              known.delete(sessionId);
              removed.add(sessionId);
            } else {
              await report(stub, { sessionId, title, repository: '/r', branch: null }, at + 1);
              if (!removed.has(sessionId)) known.set(sessionId, title);
            }
          }
          const expected = [...known.values()].filter((title) =>
            queryWords.every((each) => `${title}\n/r\n`.includes(each)),
          );
          expect(await titles(stub, queryWords.join(' '))).toEqual(expected.sort());
        },
      ),
      { numRuns: 40 },
    );
  });

  it('[FW4] common words are found newest first, page by page, and so are rare ones', async () => {
    const stub = newWorkspace();
    const ids = Array.from({ length: 230 }, () => createId('ses'));
    await runInDurableObject(stub, (_, { storage }) => {
      for (const [number, sessionId] of ids.entries())
        storage.sql.exec(
          'INSERT INTO sessions (session_id, version, summary, search_text) VALUES (?, 1, ?, ?)',
          sessionId,
          JSON.stringify(summary({ sessionId, title: `Customer ${number}` })),
          `customer ${number}`,
        );
    });
    const first = await listed(stub, { q: 'customer', limit: '100' });
    expect(first.sessions.map(({ sessionId }) => sessionId)).toEqual(
      ids.toSorted().toReversed().slice(0, 100),
    );
    const second = await listed(stub, { q: 'customer', limit: '200', cursor: first.nextCursor });
    expect(second.sessions).toHaveLength(130);
    expect(second.nextCursor).toBeNull();
    expect(await titles(stub, 'customer 117')).toEqual(['Customer 117']);
    expect(await titles(stub, 'tomer 22')).toEqual(
      [22, 122, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229]
        .map((n) => `Customer ${n}`)
        .sort(),
    );
    expect(await titles(stub, 'customer nowhere')).toEqual([]);
  });

  it('[FW4] sessions of a workspace without an index are found after migration', async () => {
    const stub = newWorkspace();
    const old = summary({ title: 'Repair the invoice' });
    await runInDurableObject(stub, (_, { storage }) => {
      // The state that the previous version left.
      for (const name of ['in', 'out', 'anew'])
        storage.sql.exec(`DROP TRIGGER sessions_searched_${name}`);
      storage.sql.exec('DROP TABLE session_search');
      // Undo later migrations too: they run again with it.
      const since = GENERATED_MIGRATIONS.findIndex((step) => step.includes('session_search'));
      for (const [at, step] of [...GENERATED_MIGRATIONS.entries()].slice(since + 1).toReversed()) {
        for (const [, index] of step.matchAll(/CREATE INDEX `(\w+)`/g))
          storage.sql.exec(`DROP INDEX ${index}`);
        for (const [, table] of step.matchAll(/CREATE TABLE `(\w+)`/g))
          storage.sql.exec(`DROP TABLE ${table}`);
        for (const [, table, column] of step.matchAll(/ALTER TABLE `(\w+)` ADD `(\w+)`/g))
          storage.sql.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
        const before = GENERATED_MIGRATIONS.slice(0, at).join('\n');
        for (const [, index] of step.matchAll(/DROP INDEX `(\w+)`/g)) {
          const made = before.matchAll(new RegExp(`CREATE INDEX \`${index}\` ON [^;]+;`, 'g'));
          storage.sql.exec([...made].at(-1)?.[0] ?? '');
        }
      }
      // One step predates the generated ones.
      storage.sql.exec('DELETE FROM migrations WHERE step > ?', since + 1);
      storage.sql.exec(
        `INSERT INTO sessions (session_id, version, summary, search_text, status, repository)
         VALUES (?, 1, ?, 'repair the invoice', 'idle', '/r')`,
        old.sessionId,
        JSON.stringify(old),
      );
    });
    await evictDurableObject(stub);
    expect(await titles(stub, 'invoice')).toEqual(['Repair the invoice']);
    await report(stub, { sessionId: old.sessionId, title: 'Repair the cache' }, 2);
    expect(await titles(stub, 'invoice')).toEqual([]);
    expect(await titles(stub, 'cache')).toEqual(['Repair the cache']);
  });
});
