import type { Language } from './language.ts';
import { type TokenLines, tokenLines } from './token-lines.ts';

export interface Question {
  readonly language: Language;
  readonly text: string;
}

/** Tells what the words of a text are, one text at a time. */
export interface Reader {
  read(question: Question): Promise<ArrayLike<number>>;
  end(): void;
}

interface Job extends Question {
  readonly done: (lines: TokenLines | null) => void;
}

/** Some millions of letters are a few hundred files: more than anybody scrolls back to. */
const keptCharacters = 4_000_000;
/** A grammar that a text sends in circles would hold up all others. Long: the worker itself may still be on its way. */
const patienceMs = 20_000;
const maxFailures = 3;

const keyOf = ({ language, text }: Question) => `${language}\n${text}`;

/** Reads one text at a time, each once, and remembers what it read last. */
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
    // What came into sight last is what somebody looks at.
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
    /** What was read before; at once, so that what comes back into sight has its colours. */
    known(question: Question): TokenLines | null {
      return kept.get(keyOf(question)) ?? null;
    },
    /** Null when it cannot be told: the text stays plain. */
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
