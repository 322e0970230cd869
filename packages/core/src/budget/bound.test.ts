import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Amount, NO_AMOUNT, addAmounts, admitCall } from './account.ts';
import { type CallAccount, settleCallAccount } from './call.ts';
import {
  type CallTokens,
  type PromptSize,
  type UnreportedEnd,
  plainUsage,
  promptBound,
  unreportedTokens,
} from './bound.ts';
import { costMicros, mostMicros } from './price.ts';

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, long: null };
const text = (bytes: number): PromptSize => ({ bytes, pictures: 0, pictureBytes: 0, documents: 0 });
const KNOWN = { contextTokens: 200_000, takesImages: true };

describe('the size of a prompt', () => {
  it('[MT6] every byte may be a token, and nothing is read beyond the model’s context', () => {
    expect(promptBound(text(50_000), KNOWN)).toBe(51_000);
    expect(promptBound(text(5_000_000), KNOWN)).toBe(200_000);
    expect(promptBound(text(5_000_000), { ...KNOWN, contextTokens: null })).toBe(5_001_000);
  });

  it('[MT6] a picture counts as a picture only for a model with image input', () => {
    const size = { bytes: 101_000, pictures: 1, pictureBytes: 100_000, documents: 0 };
    expect(promptBound(size, KNOWN)).toBe(1_000 + 8_000 + 1_000);
    expect(promptBound(size, { ...KNOWN, takesImages: false })).toBe(102_000);
  });

  it('[MT6] a file may fill the whole context, however short it is', () => {
    const size = { ...text(500), documents: 1 };
    expect(promptBound(size, KNOWN)).toBe(200_000);
    expect(promptBound(size, { ...KNOWN, contextTokens: null })).toBe(1_000_000);
  });
});

const MOST = { prompt: 1_000, answer: 32_000 };
const after = (elapsedMs: number) =>
  unreportedTokens(MOST, { kind: 'broken', elapsedMs, stopsWhenLeft: true }).answer;

describe('a call without reported usage', () => {
  it('[BU10] charges the reservation when the provider may have continued', () => {
    const end: UnreportedEnd = { kind: 'broken', elapsedMs: 5, stopsWhenLeft: false };
    expect(unreportedTokens(MOST, end)).toEqual(MOST);
  });

  it('[BU10] charges the elapsed time for a provider that stops with its client', () => {
    expect([after(0), after(3_000), after(600_000)]).toEqual([2_000, 5_000, 32_000]);
  });

  it('[MT2] charges the bytes of a complete answer', () => {
    expect(unreportedTokens(MOST, { kind: 'complete', answerBytes: 70 }).answer).toBe(70);
  });
});

const tokens = fc.record({ prompt: fc.nat(300_000), answer: fc.nat(40_000) });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const hangUp = fc.record({
  most: tokens,
  /** The provider's share of the maximum bill. */
  prompt: share,
  rate: share,
  elapsedMs: fc.nat(60_000),
  stopsWhenLeft: fc.boolean(),
});

/** The bill of an honest provider: never more than the request or the elapsed time allows. */
function billed({
  most,
  prompt,
  rate,
  elapsedMs,
  stopsWhenLeft,
}: typeof hangUp extends fc.Arbitrary<infer Value> ? Value : never): CallTokens {
  const written = stopsWhenLeft ? Math.floor(rate * elapsedMs) : most.answer;
  return { prompt: Math.floor(prompt * most.prompt), answer: Math.min(most.answer, written) };
}

describe('disconnecting', { timeout: 60_000 }, () => {
  it('[BU10] a client that disconnects repeatedly spends at most the cap plus one call', () => {
    fc.assert(
      fc.property(fc.nat(3_000_000), fc.array(hangUp, { maxLength: 60 }), (cap, calls) => {
        let spent: Amount = NO_AMOUNT;
        let bill = 0;
        let dearest = 0;
        for (const call of calls) {
          const account = { spent, reserved: NO_AMOUNT };
          const limit = { scope: 'session' as const, account, caps: { micros: cap, tokens: null } };
          if (admitCall([limit], true).kind !== 'admitted') break;
          const { elapsedMs, stopsWhenLeft, most } = call;
          const charged = unreportedTokens(most, { kind: 'broken', elapsedMs, stopsWhenLeft });
          const micros = mostMicros(charged, PRICE) ?? 0;
          const reserved = { micros: mostMicros(most, PRICE) ?? 0, tokens: 0 };
          expect(micros).toBeLessThanOrEqual(reserved.micros);
          const open: CallAccount = { state: 'open', reserved, expiresAt: 0 };
          spent = addAmounts(
            spent,
            settleCallAccount(open, { micros, tokens: 0 })?.delta ?? NO_AMOUNT,
          );
          const cost = costMicros(plainUsage(billed(call)), PRICE) ?? 0;
          bill += cost;
          dearest = Math.max(dearest, cost);
          expect(bill).toBeLessThanOrEqual(spent.micros);
        }
        expect(bill).toBeLessThanOrEqual(cap + dearest);
      }),
      { numRuns: 300 },
    );
  });
});
