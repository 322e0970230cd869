import { shipError } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Amount, type BudgetLimit, NO_AMOUNT, addAmounts, admitCall } from './account.ts';
import { type CallAccount, expireCallAccount, settleCallAccount } from './call.ts';
import { costMicros, mostMicros } from './price.ts';
import { budgetRefusal } from './refusal.ts';
import { type TokenUsage, answerTokens, promptTokens, totalTokens } from './usage.ts';

const NO_CAPS = { micros: null, tokens: null };
const account = (spent: Amount, reserved: Amount = NO_AMOUNT) => ({ spent, reserved });
const untouched = (caps: BudgetLimit['caps']): BudgetLimit[] => [
  { scope: 'turn', account: account(NO_AMOUNT), caps },
];
const usd = (micros: number): Amount => ({ micros, tokens: 0 });

/** An in-memory budget: the session's Durable Object uses the same functions on its tables. */
class Book {
  readonly calls = new Map<string, CallAccount>();
  spent: Amount = NO_AMOUNT;

  reserved(): Amount {
    return [...this.calls.values()]
      .flatMap((call) => (call.state === 'open' ? [call.reserved] : []))
      .reduce(addAmounts, NO_AMOUNT);
  }

  limit(caps: BudgetLimit['caps']): BudgetLimit {
    return { scope: 'session', account: account(this.spent, this.reserved()), caps };
  }

  apply(callId: string, change: (call: CallAccount) => ReturnType<typeof settleCallAccount>) {
    const call = this.calls.get(callId);
    const closed = call && change(call);
    if (closed === undefined) return;
    this.calls.set(callId, closed.next);
    this.spent = addAmounts(this.spent, closed.delta);
  }
}

const amount = fc.record({ micros: fc.nat(1_000_000), tokens: fc.nat(100_000) });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const step = fc.oneof(
  fc.record({ do: fc.constant('reserve' as const), most: amount }),
  fc.record({ do: fc.constant('settle' as const), which: fc.nat(), share }),
  fc.record({ do: fc.constant('expire' as const), which: fc.nat() }),
);
const cap = fc.option(fc.nat(2_000_000), { nil: null });

describe('budget', { timeout: 60_000 }, () => {
  it('[BU1] however many calls run concurrently, a cap is exceeded by less than one reservation', () => {
    fc.assert(
      fc.property(
        fc.record({ micros: cap, tokens: cap }),
        fc.array(step, { maxLength: 60 }),
        (caps, steps) => {
          const book = new Book();
          const largest = { micros: 0, tokens: 0 };
          const mosts: Amount[] = [];
          for (const each of steps) {
            if (each.do === 'reserve') {
              if (admitCall([book.limit(caps)], true).kind !== 'admitted') continue;
              book.calls.set(String(mosts.length), {
                state: 'open',
                reserved: each.most,
                expiresAt: 0,
              });
              mosts.push(each.most);
              largest.micros = Math.max(largest.micros, each.most.micros);
              largest.tokens = Math.max(largest.tokens, each.most.tokens);
            } else if (mosts.length > 0) {
              const which = each.which % mosts.length;
              const most = mosts[which] ?? NO_AMOUNT;
              if (each.do === 'expire')
                book.apply(String(which), (call) => expireCallAccount(call, 1));
              else {
                const spent = {
                  micros: Math.floor(most.micros * each.share),
                  tokens: Math.floor(most.tokens * each.share),
                };
                book.apply(String(which), (call) => settleCallAccount(call, spent));
              }
            }
            const gone = addAmounts(book.spent, book.reserved());
            for (const unit of ['micros', 'tokens'] as const) {
              const limit = caps[unit];
              if (limit !== null)
                expect(gone[unit]).toBeLessThan(Math.max(1, limit + largest[unit]));
              expect(gone[unit]).toBeGreaterThanOrEqual(0);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('[BU2] an exhausted budget stays exhausted; a reservation may be released', () => {
    const caps = { micros: 100, tokens: null };
    const limit = (spent: number, reserved: number): BudgetLimit[] => [
      { scope: 'turn', account: account(usd(0)), caps: NO_CAPS },
      { scope: 'session', account: account(usd(spent), usd(reserved)), caps },
    ];
    expect(admitCall(limit(99, 0), true)).toEqual({ kind: 'admitted' });
    expect(admitCall(limit(50, 49), true)).toEqual({ kind: 'admitted' });
    expect(admitCall(limit(50, 50), true)).toMatchObject({ kind: 'held', scope: 'session' });
    expect(admitCall(limit(100, 0), true)).toMatchObject({ kind: 'exhausted', unit: 'micros' });
    expect(
      admitCall(
        [{ scope: 'day', account: account(usd(0)), caps: { micros: 0, tokens: null } }],
        true,
      ).kind,
    ).toBe('exhausted');
  });

  it('[BU3] a cap in dollars refuses calls without a known price; a cap in tokens does not', () => {
    expect(admitCall(untouched({ micros: 5, tokens: null }), false).kind).toBe('unpriced');
    expect(admitCall(untouched({ micros: null, tokens: 5 }), false).kind).toBe('admitted');
    expect(admitCall(untouched(NO_CAPS), false).kind).toBe('admitted');
  });

  it('[BU11] a default cap applies to calls with a known price, and refuses neither free calls nor calls without a price', () => {
    const spent: BudgetLimit[] = [
      {
        scope: 'session',
        account: account(usd(5)),
        caps: { micros: 5, tokens: null, isDefault: true },
      },
    ];
    expect(admitCall(spent, true).kind).toBe('exhausted');
    expect(admitCall(spent, true, true).kind).toBe('admitted');
    expect(admitCall(spent, false).kind).toBe('admitted');
    const admission = admitCall(spent, true);
    if (admission.kind === 'admitted') throw new Error('admitted');
    expect(budgetRefusal(admission, spent).remedy).toContain('Settings');
    const ofTurn = spent.map((limit) => ({ ...limit, scope: 'turn' as const }));
    const { remedy } = budgetRefusal({ kind: 'exhausted', scope: 'turn', unit: 'micros' }, ofTurn);
    expect(remedy).toMatch(/Retry.*this session.*Settings/);
  });

  it('[BU4] a call is settled once; an expired one is corrected by a late report', () => {
    const open: CallAccount = { state: 'open', reserved: usd(9), expiresAt: 100 };
    expect(expireCallAccount(open, 99)).toBeUndefined();
    const expired = expireCallAccount(open, 100);
    expect(expired).toEqual({ next: { state: 'expired', spent: usd(9) }, delta: usd(9) });
    const corrected = expired && settleCallAccount(expired.next, usd(1));
    expect(corrected).toEqual({ next: { state: 'settled', spent: usd(1) }, delta: usd(-8) });
    expect(corrected && settleCallAccount(corrected.next, usd(7))).toBeUndefined();
    expect(corrected && expireCallAccount(corrected.next, 1_000)).toBeUndefined();
  });

  it('[BU2] refusals say what is spent, and only held calls are retried', () => {
    const limits: BudgetLimit[] = [
      {
        scope: 'session',
        account: account({ micros: 1_234_567, tokens: 7 }),
        caps: { micros: 1_000_000, tokens: 5 },
      },
    ];
    const refuse = (kind: 'exhausted' | 'held', unit: 'micros' | 'tokens') =>
      budgetRefusal({ kind, scope: 'session', unit }, limits);
    expect(refuse('exhausted', 'micros')).toEqual(
      shipError(
        'budget-exhausted',
        'The budget of this session is spent: $1.23 of $1.00.',
        'Raise the budget to continue, or stop here.',
      ),
    );
    expect(refuse('exhausted', 'tokens').message).toContain('7 of 5 tokens');
    expect(refuse('held', 'micros').category).toBe('transient');
    expect(budgetRefusal({ kind: 'unpriced', scope: 'day' }, []).code).toBe('price-unknown');
  });
});

describe('prices', () => {
  const price = {
    input: 2,
    output: 10,
    cacheRead: 0.2,
    cacheWrite: 2.5,
    long: { aboveTokens: 1_000, input: 4, output: 15, cacheRead: 0.4, cacheWrite: 5 },
  };
  const usage: TokenUsage = {
    inputTokens: 100,
    cacheReadTokens: 500,
    cacheWriteTokens: 200,
    outputTokens: 30,
    reasoningTokens: 20,
  };

  it('[MT4] every class of tokens has its price, thinking has that of output, and unknown stays unknown', () => {
    expect(costMicros(usage, { ...price, long: null })).toBe(200 + 100 + 500 + 500);
    expect(costMicros({ ...usage, inputTokens: 301 }, price)).toBe(1204 + 200 + 1000 + 750);
    expect(costMicros(usage, null)).toBeNull();
    expect(mostMicros({ prompt: 1, answer: 1 }, null)).toBeNull();
  });

  it('[BU1] no usage within the bound costs more than the bound', () => {
    const tokens = fc.nat(2_000_000);
    const rate = fc.double({ min: 0, max: 200, noNaN: true });
    const rates = { input: rate, output: rate, cacheRead: rate, cacheWrite: rate };
    fc.assert(
      fc.property(
        fc.record({
          inputTokens: tokens,
          cacheReadTokens: tokens,
          cacheWriteTokens: tokens,
          outputTokens: tokens,
          reasoningTokens: tokens,
        }),
        fc.record({ ...rates, long: fc.constant(null) }),
        (used, priced) => {
          const most = mostMicros(
            { prompt: promptTokens(used), answer: answerTokens(used) },
            priced,
          );
          expect(costMicros(used, priced)).toBeLessThanOrEqual(most ?? -1);
          expect(Number.isSafeInteger(most)).toBe(true);
          expect(totalTokens(used)).toBe(promptTokens(used) + answerTokens(used));
        },
      ),
    );
  });
});
