import { Refusal } from '../lifecycle/errors.ts';

interface Ordered {
  id: string;
  atMs: number;
}

export interface Page<T> {
  items: T[];
  nextToken: string | undefined;
}

const encode = (item: Ordered): string =>
  Buffer.from(`${item.atMs}:${item.id}`).toString('base64url');

function decode(token: string): Ordered {
  const match = /^([0-9]{1,16}):([A-Za-z0-9-]{1,64})$/.exec(
    Buffer.from(token, 'base64url').toString(),
  );
  if (match === null) throw new Refusal(400, 'nextToken is invalid.', 'Start from the first page.');
  return { atMs: Number(match[1]), id: match[2] ?? '' };
}

function compare(a: Ordered, b: Ordered): number {
  if (a.atMs !== b.atMs) return a.atMs - b.atMs;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

/** A page after the cursor. The cursor is a position, not an item: it stays valid when the item is deleted. */
export function pageOf<T>(
  all: readonly T[],
  place: (item: T) => Ordered,
  options: { limit: number; order: 'asc' | 'desc'; after: string | undefined },
): Page<T> {
  const sign = options.order === 'asc' ? 1 : -1;
  const sorted = all.toSorted((a, b) => sign * compare(place(a), place(b)));
  const after = options.after === undefined ? undefined : decode(options.after);
  const rest =
    after === undefined ? sorted : sorted.filter((item) => sign * compare(place(item), after) > 0);
  const items = rest.slice(0, options.limit);
  const last = items.at(-1);
  const nextToken =
    rest.length > items.length && last !== undefined ? encode(place(last)) : undefined;
  return { items, nextToken };
}

/** `k=v&k2=v2`, where the SDK percent-encodes each key and value a second time. */
export function metadataFilter(
  query: string | undefined,
): (metadata: Record<string, string>) => boolean {
  const wanted = [...new URLSearchParams(query ?? '')].map(
    ([key, value]) => [decodeOnce(key), decodeOnce(value)] as const,
  );
  return (metadata) => wanted.every(([key, value]) => metadata[key] === value);
}

function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
