/** Key notation: "g h" is a sequence, "mod+k" a combination, "?" a single key. */
export interface Stroke {
  readonly key: string;
  readonly hasMod: boolean;
  readonly atMs: number;
}

interface Outcome {
  readonly matched: string | null;
  /** The first key of a possible sequence. */
  readonly pending: Stroke | null;
}

const patienceMs = 1200;

const spelled = ({ key, hasMod }: Stroke) => (hasMod ? `mod+${key}` : key);

export function press(pending: Stroke | null, stroke: Stroke, known: readonly string[]): Outcome {
  const isFresh = pending !== null && stroke.atMs - pending.atMs <= patienceMs;
  const candidates = [
    ...(isFresh ? [`${spelled(pending)} ${spelled(stroke)}`] : []),
    spelled(stroke),
  ];
  const matched = candidates.find((candidate) => known.includes(candidate)) ?? null;
  const mayContinue = known.some((keys) => keys.startsWith(`${spelled(stroke)} `));
  return { matched, pending: matched === null && mayContinue ? stroke : null };
}
