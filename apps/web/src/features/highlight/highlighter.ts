import type { Language } from './language.ts';
import { type TokenLines, tokenLines } from './token-lines.ts';

export interface Question {
  readonly language: Language;
  readonly text: string;
}

/** Highlights one text at a time. */
export interface Reader {
  read(question: Question): Promise<ArrayLike<number>>;
  end(): void;
}

interface Job extends Question {
  readonly done: (lines: TokenLines | null) => void;
}

/** Some millions of characters are a few hundred files: more than people scroll back to. */
const keptCharacters = 4_000_000;
/** A grammar that loops on a text would block all others. Generous, because the worker may still be loading. */
const patienceMs = 20_000;
const maxFailures = 3;

const keyOf = ({ language, text }: Question) => `${language}\n${text}`;

/** Highlights one text at a time, each once, and caches the newest results. */
export function createHighlighter(start: () => Reader) {
  const kept = new Map<string, TokenLines>();
  let keptSize = 0;
  const asked = new Map<string, Promise<TokenLines | null>>();
  const waiting: Job[] = [];
  let reader: Reader | null = null;
  let isBusy = false;
  let failures = 0;

  function keep(key: string, lines: TokenLines): void {
    kept.set(key, lines);
    keptSize += key.length;
    for (const oldest of kept.keys()) {
      if (keptSize <= keptCharacters) return;
      kept.delete(oldest);
      keptSize -= oldest.length;
    }
  }

  async function work(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    // The newest request comes first: it is for what the user looks at now.
    for (let job = waiting.pop(); job !== undefined; job = waiting.pop())
      job.done(failures < maxFailures ? await readWithPatience(job) : null);
    isBusy = false;
  }

  async function readWithPatience({ language, text }: Job): Promise<TokenLines | null> {
    const { promise: isLate, resolve: giveUp } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => giveUp('late'), patienceMs);
    try {
      reader ??= start();
      const marks = await Promise.race([reader.read({ language, text }), isLate]);
      if (marks === 'late') stop();
      failures = 0;
      return tokenLines(text, marks === 'late' ? [] : marks);
    } catch {
      failures += 1;
      stop();
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  function stop(): void {
    reader?.end();
    reader = null;
  }

  return {
    /** Cached tokens, synchronously: text that scrolls back into view must not flash plain. */
    known(question: Question): TokenLines | null {
      return kept.get(keyOf(question)) ?? null;
    },
    /** Null on failure: the text stays plain. */
    read(question: Question): Promise<TokenLines | null> {
      const key = keyOf(question);
      const found = kept.get(key);
      if (found !== undefined) return Promise.resolve(found);
      const before = asked.get(key);
      if (before !== undefined) return before;
      const { promise, resolve } = Promise.withResolvers<TokenLines | null>();
      asked.set(key, promise);
      waiting.push({
        ...question,
        done: (lines) => {
          asked.delete(key);
          if (lines !== null) keep(key, lines);
          resolve(lines);
        },
      });
      void work();
      return promise;
    },
  };
}
