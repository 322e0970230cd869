const units = [
  { ms: 86_400_000, suffix: 'd' },
  { ms: 3_600_000, suffix: 'h' },
  { ms: 60_000, suffix: 'min' },
  { ms: 1000, suffix: 's' },
] as const;

/** The largest unit and the next one if it is not zero: "2 h 5 min". A negative age means a wrong clock and counts as zero. */
export function formatDuration(durationMs: number): string {
  const clamped = Math.max(0, durationMs);
  const first = units.findIndex((unit) => clamped >= unit.ms);
  const unit = units[first];
  if (unit === undefined) return '0 s';
  const whole = Math.floor(clamped / unit.ms);
  const next = units[first + 1];
  const rest = next === undefined ? 0 : Math.floor((clamped % unit.ms) / next.ms);
  const head = `${whole} ${unit.suffix}`;
  // "7 min 41 s" would tick for an hour: show seconds only within the first minute.
  return next === undefined || next.suffix === 's' || rest === 0
    ? head
    : `${head} ${rest} ${next.suffix}`;
}

export const formatAgo = (ageMs: number): string =>
  ageMs < 5000 ? 'just now' : `${formatDuration(ageMs)} ago`;
