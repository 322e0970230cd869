/** Untrusted text as one line of at most `max` characters, without control characters. */
export function oneLine(text: string, max: number): string {
  const clean = text
    // oxlint-disable-next-line no-control-regex -- control characters are what must not reach a terminal
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim();
  return clean.length <= max ? clean : `${clean.slice(0, max - 1).trimEnd()}…`;
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1_000);
  return minutes < 60
    ? `${minutes} min ${seconds} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Null means that the price is unknown. */
export function money(usd: number | null): string {
  if (usd === null) return 'cost unknown';
  return usd === 0 ? '$0' : `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000
    ? `${(count / 1_000).toFixed(1)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}
