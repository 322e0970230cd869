import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { sessionEvent } from '@ship/core';
import { PromptId, RequestId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { newSession, prompt, renameTimes, stateOf } from '../testing/session.ts';
import { numbered } from './event-log.ts';
import { Outbox } from './outbox.ts';
import { Repeated, RequestLedger } from './request-ledger.ts';
import { Trace } from './trace.ts';

const withSql = async <Value>(use: (sql: SqlStorage) => Value | Promise<Value>) => {
  const { stub } = await newSession();
  return runInDurableObject(stub, async (_, { storage }) => {
    storage.sql.exec('DELETE FROM outbox; DELETE FROM trace; DELETE FROM requests');
    return use(storage.sql);
  });
};

/** Tables of the session's object besides its log, on real SQLite. */
describe('records of a session', () => {
  it('[OB1] a message stays until it is delivered, and a newer one under its key replaces it', async () => {
    await withSql((sql) => {
      const outbox = new Outbox(sql);
      outbox.put('a', 'report', { version: 1 }, 1_000);
      const [first] = outbox.due(1_000);
      expect(first).toMatchObject({ key: 'a', payload: { version: 1 } });
      expect(outbox.due(999)).toEqual([]);
      // Replaced while the first was being sent: the delivered one is not the newer one.
      outbox.put('a', 'report', { version: 2 }, 1_001);
      if (first !== undefined) outbox.delivered(first);
      const [second] = outbox.due(1_001);
      expect(second?.payload).toEqual({ version: 2 });
      if (second !== undefined) outbox.delivered(second);
      expect([outbox.due(9_999), outbox.nextAt()]).toEqual([[], null]);
    });
  });

  it('[OB2] a message that could not be delivered is retried with backoff, forever', async () => {
    await withSql((sql) => {
      const outbox = new Outbox(sql);
      outbox.put('a', 'report', {}, 0);
      const waits = Array.from({ length: 14 }, () => {
        const [message] = outbox.due(Number.MAX_SAFE_INTEGER);
        if (message !== undefined) outbox.failed(message, 0);
        return outbox.nextAt();
      });
      expect(waits.slice(0, 4)).toEqual([200, 400, 800, 1_600]);
      expect(waits.slice(-2)).toEqual([60_000, 60_000]);
    });
  });

  it('[SA6] the ledger of requests is bounded, also for an object that hibernates after each', async () => {
    await withSql((sql) => {
      for (let i = 0; i < 6_000; i++)
        new RequestLedger(sql).record({
          requestId: RequestId.parse(`request-${i}`),
          fingerprint: 'f',
          seq: i,
          promptId: null,
        });
      const { count } = sql.exec<{ count: number }>('SELECT COUNT(*) AS count FROM requests').one();
      expect(count).toBeLessThanOrEqual(5_500);
      const ledger = new RequestLedger(sql);
      expect(ledger.find(RequestId.parse('request-5999'), 'f')).toMatchObject({
        receipt: { seq: 5_999 },
      });
      expect(ledger.find(RequestId.parse('request-0'), 'f')).toBeUndefined();
    });
  });

  it('[SA2] a request is known by id and fingerprint, with its prompt', async () => {
    await withSql((sql) => {
      const { promptId } = prompt('x');
      const requestId = RequestId.parse('request-1');
      new RequestLedger(sql).record({ requestId, fingerprint: 'one', seq: 7, promptId });
      const ledger = new RequestLedger(sql);
      expect(ledger.find(requestId, 'one')).toEqual({
        kind: 'accepted',
        receipt: { requestId, seq: 7, promptId: PromptId.parse(promptId) },
      });
      expect(ledger.find(requestId, 'two')).toMatchObject({
        error: { code: 'request-id-reused' },
      });
      const again = () => ledger.record({ requestId, fingerprint: 'one', seq: 8, promptId: null });
      expect(again).toThrow(Repeated);
      expect(ledger.find(requestId, 'one')).toMatchObject({ receipt: { seq: 7 } });
    });
  });

  it('[SA2] an event and its receipt are stored together, and neither for a repeated request', async () => {
    const { stub, send } = await newSession();
    await send({ type: 'session.rename', title: 'once' });
    await runInDurableObject(stub, (_, { storage: { sql } }) => {
      const count = () => sql.exec('SELECT * FROM events').toArray().length;
      const entry = sql
        .exec<{ request_id: string; seq: number }>('SELECT * FROM requests ORDER BY seq DESC')
        .toArray()[0];
      const before = count();
      expect(entry?.seq).toBe(before);
      const requestId = RequestId.parse(entry?.request_id);
      const [stored] = numbered([sessionEvent('session.renamed', { title: 'x' })], 1, before);
      const receipt = { requestId, fingerprint: 'other', seq: before + 1, promptId: null };
      const ledger = new RequestLedger(sql);
      expect(() => stored && ledger.recordWith(stored, receipt)).toThrow(Repeated);
      expect(count()).toBe(before);
      const isNew = { ...receipt, requestId: RequestId.parse('a-new-one') };
      if (stored !== undefined) ledger.recordWith(stored, isNew);
      expect(count()).toBe(before + 1);
      expect(ledger.find(isNew.requestId, 'other')).toMatchObject({ receipt: { seq: before + 1 } });
      // Another failure to store is not a repetition, and leaves no receipt.
      const another = RequestId.parse('another-one');
      expect(
        () => stored && ledger.recordWith(stored, { ...isNew, requestId: another }),
      ).not.toThrow(Repeated);
      expect(ledger.find(another, 'other')).toBeUndefined();
    });
  });

  it('[SA2] a session from before receipts were stored with their events still works', async () => {
    const { stub, send } = await newSession();
    await runInDurableObject(stub, (_, { storage: { sql } }) => {
      sql.exec('DROP TRIGGER requests_pruned; DROP TRIGGER answered_events_stored');
      sql.exec('DROP VIEW answered_events');
      // This step, and the next one.
      sql.exec('ALTER TABLE port_passes DROP COLUMN credentials');
      sql.exec('DELETE FROM migrations WHERE step >= (SELECT MAX(step) FROM migrations) - 1');
    });
    await evictDurableObject(stub);
    await send({ type: 'session.rename', title: 'first' });
    await send({ type: 'session.rename', title: 'second' });
    expect((await stateOf(stub)).title).toBe('second');
  });

  it('[TC1] the trace keeps the newest spans, and only the code of a failure', async () => {
    await withSql(async (sql) => {
      const trace = new Trace(sql);
      for (let i = 0; i < 620; i++)
        trace.record({ name: `s${i}`, startedAt: i, outcome: 'ok', detail: null });
      await expect(
        trace.span(
          'bad',
          () => Promise.reject(new Error('planted-secret')),
          () => 'unreachable',
        ),
      ).rejects.toThrow();
      const spans = trace.read();
      expect(spans).toHaveLength(500);
      expect(spans.at(-1)).toMatchObject({ name: 'bad', outcome: 'failed', detail: 'unreachable' });
      expect(JSON.stringify(spans)).not.toContain('planted-secret');
    });
  });

  it('[SA7] a snapshot of another shape is ignored: the log is authoritative', async () => {
    const { stub } = await newSession();
    await renameTimes(stub, 230);
    const before = await stateOf(stub);
    const stored = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec<{ seq: number; state: string }>('SELECT seq, state FROM snapshot').one(),
    );
    expect(stored.seq).toBeGreaterThanOrEqual(200);
    const shape = JSON.parse(stored.state) as Record<string, unknown>;
    const { queue: _, ...older } = shape;
    for (const other of [older, { ...shape, more: 1 }, { ...shape, sandbox: { status: 'new' } }]) {
      await runInDurableObject(stub, (__, { storage }) => {
        const text = JSON.stringify({ ...other, title: 'from the snapshot' });
        storage.sql.exec('UPDATE snapshot SET state = ?', text);
      });
      await evictDurableObject(stub);
      expect(await stateOf(stub)).toEqual(before);
    }
    // One of the right shape is trusted: that is its purpose.
    await runInDurableObject(stub, (__, { storage }) => {
      const text = JSON.stringify({ ...shape, repository: '/from/the/snapshot' });
      storage.sql.exec('UPDATE snapshot SET state = ?', text);
    });
    await evictDurableObject(stub);
    expect((await stateOf(stub)).repository).toBe('/from/the/snapshot');
  });
});
