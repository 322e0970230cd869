import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type HighlightRequest, type Tokenizer, createHighlighter } from './highlighter.ts';

class FakeTokenizer implements Tokenizer {
  readonly requests: HighlightRequest[] = [];
  isStopped = false;
  #last = Promise.withResolvers<ArrayLike<number>>();
  tokenize(request: HighlightRequest) {
    this.requests.push(request);
    this.#last = Promise.withResolvers();
    return this.#last.promise;
  }
  stop(): void {
    this.isStopped = true;
  }
  answer(...marks: readonly number[]): void {
    this.#last.resolve(marks);
  }
  fail(): void {
    this.#last.reject(new Error('it cannot be loaded'));
  }
}

const of = (text: string): HighlightRequest => ({ language: 'json', text });

function setUp() {
  const tokenizers: FakeTokenizer[] = [];
  const highlighter = createHighlighter(() => {
    const tokenizer = new FakeTokenizer();
    tokenizers.push(tokenizer);
    return tokenizer;
  });
  return { highlighter, tokenizers };
}

describe('highlighter', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('[WB18] starts with the first text, and highlights each text once', async () => {
    const { highlighter, tokenizers } = setUp();
    expect(highlighter.cached(of('1'))).toBeNull();
    expect(tokenizers).toHaveLength(0);
    const both = Promise.all([highlighter.tokenize(of('1')), highlighter.tokenize(of('1'))]);
    tokenizers[0]?.answer(0, 1, 3);
    const [one, other] = await both;
    expect(one).toEqual([[{ text: '1', kind: 'number' }]]);
    expect(other).toBe(one);
    expect(highlighter.cached(of('1'))).toBe(one);
    expect(highlighter.cached({ language: 'css', text: '1' })).toBeNull();
    expect(tokenizers[0]?.requests).toHaveLength(1);
  });

  it('[WB18] highlights one text at a time; one that times out stays plain and blocks no other', async () => {
    const { highlighter, tokenizers } = setUp();
    const stuck = highlighter.tokenize(of('stuck'));
    const after = highlighter.tokenize(of('1'));
    expect(tokenizers[0]?.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(tokenizers[0]?.isStopped).toBe(true);
    expect(await stuck).toEqual([[{ text: 'stuck', kind: null }]]);
    tokenizers[1]?.answer(0, 1, 3);
    expect(await after).toEqual([[{ text: '1', kind: 'number' }]]);
    // Not retried.
    expect(highlighter.cached(of('stuck'))).not.toBeNull();
  });

  it('[WB18] without a working tokenizer all text stays plain, and it stops retrying', async () => {
    const { highlighter, tokenizers } = setUp();
    const all = Promise.all(
      ['1', '2', '3', '4', '5'].map((text) => highlighter.tokenize(of(text))),
    );
    for (let n = 0; n < 3; n += 1) {
      tokenizers[n]?.fail();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(await all).toEqual([null, null, null, null, null]);
    expect(tokenizers).toHaveLength(3);
    const denied = createHighlighter(() => {
      throw new Error('refused');
    });
    expect(await denied.tokenize(of('1'))).toBeNull();
  });

  it('[WB18] evicts the oldest texts', async () => {
    const { highlighter, tokenizers } = setUp();
    const texts = Array.from({ length: 30 }, (_, n) => `${n}`.padEnd(190_000, 'x'));
    for (const text of texts) {
      const read = highlighter.tokenize(of(text));
      tokenizers[0]?.answer();
      await read;
    }
    expect(highlighter.cached(of(texts[0] ?? ''))).toBeNull();
    expect(highlighter.cached(of(texts[29] ?? ''))).not.toBeNull();
  });
});
