import { MODEL_SPAN, type Trace } from '@ship/protocol';

/** Total time with at least one open model call, from the newest spans that the session keeps. */
export function modelTime({ spans }: Pick<Trace, 'spans'>): number {
  const calls = spans
    .filter(({ name }) => name === MODEL_SPAN)
    .map(({ startedAt, durationMs }) => ({ from: startedAt, to: startedAt + durationMs }))
    .sort((a, b) => a.from - b.from);
  let totalMs = 0;
  let countedTo = -Infinity;
  for (const { from, to } of calls) {
    totalMs += Math.max(0, to - Math.max(from, countedTo));
    countedTo = Math.max(countedTo, to);
  }
  return totalMs;
}
