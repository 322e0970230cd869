/** Shows cents below $1,000, and amounts under one cent as "<$0.01" instead of zero. */
export function formatUsd(usd: number): string {
  if (usd > 0 && usd < 0.01) return '<$0.01';
  const digits = usd >= 1000 ? 0 : 2;
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** Three significant digits: "1.24 M". */
export function formatCount(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 1_000_000 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${Number(value.toPrecision(3)).toLocaleString('en-US')} ${unit}`;
}

/** "6m12", rounded down, for running timers. */
export function formatStopwatch(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, '0')}`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}`;
}

/** Measured durations: "820 ms", "4.1 s", "2m05". */
export function formatMs(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  return formatStopwatch(durationMs);
}

/** Decimal units: "12 B", "4.1 kB", "1.2 MB". */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const formatShare = (share: number): string => `${Math.round(share * 100)}%`;

/** The last part of a location without ".git". */
export function repositoryName(location: string): string {
  const parts = location.replace(/[/]+$/, '').split(/[/:]/);
  const last = parts.at(-1) ?? location;
  return last.replace(/\.git$/, '') || location;
}
