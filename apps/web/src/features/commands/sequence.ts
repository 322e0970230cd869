/** Key notation: "g h" is a sequence, "mod+k" a combination, "?" a single key. */
export interface Stroke {
  readonly key: string;
  readonly hasMod: boolean;
  readonly atMs: number;
}

interface PressResult {
  readonly matched: string | null;
  /** The first key of a possible sequence. */
  readonly pending: Stroke | null;
}

const sequenceTimeoutMs = 1200;

const notationOf = ({ key, hasMod }: Stroke) => (hasMod ? `mod+${key}` : key);

export function press(
  pending: Stroke | null,
  stroke: Stroke,
  known: readonly string[],
): PressResult {
  const isFresh = pending !== null && stroke.atMs - pending.atMs <= sequenceTimeoutMs;
  const candidates = [
    ...(isFresh ? [`${notationOf(pending)} ${notationOf(stroke)}`] : []),
    notationOf(stroke),
  ];
  const matched = candidates.find((candidate) => known.includes(candidate)) ?? null;
  const mayContinue = known.some((keys) => keys.startsWith(`${notationOf(stroke)} `));
  return { matched, pending: matched === null && mayContinue ? stroke : null };
}
