import type { HighlightRequest, Tokenizer } from './highlighter.ts';
import type { Marks } from './marks.ts';

/** Runs in a worker: a long text takes longer than a frame. */
export function startWorkerTokenizer(): Tokenizer {
  const worker = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
  let answer = Promise.withResolvers<Marks>();
  worker.addEventListener('message', ({ data }: MessageEvent<Marks>) => answer.resolve(data));
  worker.addEventListener('error', (event) => answer.reject(event));
  return {
    tokenize: (request: HighlightRequest) => {
      answer = Promise.withResolvers();
      worker.postMessage(request, []);
      return answer.promise;
    },
    stop: () => worker.terminate(),
  };
}
