import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Question, type Reader, createHighlighter } from './highlighter.ts';

class FakeReader implements Reader {
  readonly asked: Question[] = [];
  isEnded = false;
  #last = Promise.withResolvers<ArrayLike<number>>();
  read(question: Question) {
    this.asked.push(question);
    this.#last = Promise.withResolvers();
    return this.#last.promise;
  }
  end(): void {
    this.isEnded = true;
  }
  answer(...marks: readonly number[]): void {
    this.#last.resolve(marks);
  }
  fail(): void {
    this.#last.reject(new Error('it cannot be loaded'));
  }
}

const of = (text: string): Question => ({ language: 'json', text });

function setUp() {
  const readers: FakeReader[] = [];
  const highlighter = createHighlighter(() => {
    const reader = new FakeReader();
    readers.push(reader);
    return reader;
  });
  return { highlighter, readers };
}

describe('reading texts for their colours', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('[WB18] nothing is started before there is a text, and each text is read once', async () => {
    const { highlighter, readers } = setUp();
    expect(highlighter.known(of('1'))).toBeNull();
    expect(readers).toHaveLength(0);
    const both = Promise.all([highlighter.read(of('1')), highlighter.read(of('1'))]);
    readers[0]?.answer(0, 1, 3);
    const [one, other] = await both;
    expect(one).toEqual([[{ text: '1', kind: 'number' }]]);
    expect(other).toBe(one);
    expect(highlighter.known(of('1'))).toBe(one);
    expect(highlighter.known({ language: 'css', text: '1' })).toBeNull();
    expect(readers[0]?.asked).toHaveLength(1);
  });

  it('[WB18] one at a time; one that never ends is left plain and holds up no other', async () => {
    const { highlighter, readers } = setUp();
    const stuck = highlighter.read(of('stuck'));
    const after = highlighter.read(of('1'));
    expect(readers[0]?.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(readers[0]?.isEnded).toBe(true);
    expect(await stuck).toEqual([[{ text: 'stuck', kind: null }]]);
    readers[1]?.answer(0, 1, 3);
    expect(await after).toEqual([[{ text: '1', kind: 'number' }]]);
    // Not retried.
    expect(highlighter.known(of('stuck'))).not.toBeNull();
  });

  it('[WB18] where the reader cannot come, all stays plain and it is not asked for ever', async () => {
    const { highlighter, readers } = setUp();
    const all = Promise.all(['1', '2', '3', '4', '5'].map((text) => highlighter.read(of(text))));
    for (let n = 0; n < 3; n += 1) {
      readers[n]?.fail();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(await all).toEqual([null, null, null, null, null]);
    expect(readers).toHaveLength(3);
    const denied = createHighlighter(() => {
      throw new Error('refused');
    });
    expect(await denied.read(of('1'))).toBeNull();
  });

  it('[WB18] what was read long ago is forgotten', async () => {
    const { highlighter, readers } = setUp();
    const texts = Array.from({ length: 30 }, (_, n) => `${n}`.padEnd(190_000, 'x'));
    for (const text of texts) {
      const read = highlighter.read(of(text));
      readers[0]?.answer();
      await read;
    }
    expect(highlighter.known(of(texts[0] ?? ''))).toBeNull();
    expect(highlighter.known(of(texts[29] ?? ''))).not.toBeNull();
  });
});
