import { describe, expect, it } from 'vitest';

import { Ledger } from './ledger.ts';
import { explain } from './refusal.ts';

const deny = (host: string) => ({ host, port: 443, verdict: 'deny', rule: 'not-listed' }) as const;

describe('following refusals', () => {
  it('returns those after a cursor, and each again when it recurs', () => {
    const ledger = new Ledger('ibox', () => undefined);
    ledger.record(deny('early.test'), 1);
    const { cursor, refusals } = ledger.refusalsAfter(undefined);
    expect(refusals).toEqual([]);
    ledger.record({ ...deny('ok.test'), verdict: 'allow', rule: 'owner-allow' }, 2);
    ledger.record(deny('a.test'), 3);
    ledger.record(deny('early.test'), 4);
    const next = ledger.refusalsAfter(cursor);
    expect(next.refusals.map(({ host }) => host)).toEqual(['early.test', 'a.test']);
    expect(ledger.refusalsAfter(next.cursor).refusals).toEqual([]);
  });

  it('wakes waiters, and resolves when the signal aborts', async () => {
    const ledger = new Ledger('ibox', () => undefined);
    const waiting = ledger.untilRefusal(new AbortController().signal);
    ledger.record(deny('a.test'), 1);
    await waiting;
    const stop = new AbortController();
    const stopped = ledger.untilRefusal(stop.signal);
    stop.abort();
    await stopped;
    await ledger.untilRefusal(stop.signal);
  });

  it('starts over for a cursor of an earlier server', () => {
    const ledger = new Ledger('ibox', () => undefined);
    ledger.record(deny('a.test'), 1);
    expect(ledger.refusalsAfter(1_000).refusals.map(({ host }) => host)).toEqual(['a.test']);
  });

  it('keeps the address that was the reason', () => {
    const ledger = new Ledger('ibox', () => undefined);
    const attempt = { ...deny('a.test'), rule: 'address', address: '10.0.0.1' } as const;
    ledger.record(attempt, 1);
    ledger.record({ ...attempt, address: '10.0.0.2' }, 2);
    expect(ledger.refusalsAfter(0).refusals).toMatchObject([{ address: '10.0.0.2' }]);
  });
});

describe('the text of a refusal', () => {
  it('[NW10] names the host, the rule and the remedy', () => {
    expect(explain('a.test', 'not-listed')).toBe(
      'Ship refused "a.test" (rule not-listed). It is not on the allow-list: allow it in Settings → Network.',
    );
  });
});
