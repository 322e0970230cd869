import type { Language } from './language.ts';
import { type TokenLines, tokenLines } from './token-lines.ts';

export interface HighlightRequest {
  readonly language: Language;
  readonly text: string;
}

/** Highlights one text at a time. */
export interface Tokenizer {
  tokenize(request: HighlightRequest): Promise<ArrayLike<number>>;
  stop(): void;
}

interface Job extends HighlightRequest {
  readonly done: (lines: TokenLines | null) => void;
}

/** Some millions of characters are a few hundred files: more than people scroll back to. */
const maxCacheCharacters = 4_000_000;
/** A grammar that loops on a text would block all others. Generous, because the worker may still be loading. */
const timeoutMs = 20_000;
const maxFailures = 3;

const keyOf = ({ language, text }: HighlightRequest) => `${language}\n${text}`;

/** Highlights one text at a time, each once, and caches the newest results. */
export function createHighlighter(start: () => Tokenizer) {
  const cache = new Map<string, TokenLines>();
  let cacheSize = 0;
  const pending = new Map<string, Promise<TokenLines | null>>();
  const waiting: Job[] = [];
  let tokenizer: Tokenizer | null = null;
  let isBusy = false;
  let failures = 0;

  function store(key: string, lines: TokenLines): void {
    cache.set(key, lines);
    cacheSize += key.length;
    for (const oldest of cache.keys()) {
      if (cacheSize <= maxCacheCharacters) return;
      cache.delete(oldest);
      cacheSize -= oldest.length;
    }
  }

  async function processJobs(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    // The newest request comes first: it is for what the user looks at now.
    for (let job = waiting.pop(); job !== undefined; job = waiting.pop())
      job.done(failures < maxFailures ? await tokenizeWithTimeout(job) : null);
    isBusy = false;
  }

  async function tokenizeWithTimeout({ language, text }: Job): Promise<TokenLines | null> {
    const { promise: expired, resolve: expire } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => expire('late'), timeoutMs);
    try {
      tokenizer ??= start();
      const marks = await Promise.race([tokenizer.tokenize({ language, text }), expired]);
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
    tokenizer?.stop();
    tokenizer = null;
  }

  return {
    /** Cached tokens, synchronously: text that scrolls back into view must not flash plain. */
    cached(request: HighlightRequest): TokenLines | null {
      return cache.get(keyOf(request)) ?? null;
    },
    /** Null on failure: the text stays plain. */
    tokenize(request: HighlightRequest): Promise<TokenLines | null> {
      const key = keyOf(request);
      const found = cache.get(key);
      if (found !== undefined) return Promise.resolve(found);
      const before = pending.get(key);
      if (before !== undefined) return before;
      const { promise, resolve } = Promise.withResolvers<TokenLines | null>();
      pending.set(key, promise);
      waiting.push({
        ...request,
        done: (lines) => {
          pending.delete(key);
          if (lines !== null) store(key, lines);
          resolve(lines);
        },
      });
      void processJobs();
      return promise;
    },
  };
}
