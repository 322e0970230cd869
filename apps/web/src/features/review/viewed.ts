import type { FileDiff } from '@ship/protocol';

/** Viewed files, each with a fingerprint of its change at that time. */
export type Viewed = Readonly<Record<string, string>>;

const KEY = 'ship.viewed';
/** Only the newest reviews are kept. */
const MAX_REVIEWS = 30;

type Stored = readonly (readonly [sessionId: string, viewed: Viewed])[];

/** FNV-1a over the shown change of a file. */
function fingerprintOf({ status, additions, deletions, hunks }: FileDiff): string {
  const text = [
    status,
    additions,
    deletions,
    ...hunks.flatMap(({ lines, newStart }) => [newStart, ...lines]),
  ].join('\n');
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash.toString(36);
}

/** A commit that does not affect a file's change keeps the file viewed. */
export const isViewed = (viewed: Viewed, file: FileDiff): boolean =>
  Object.hasOwn(viewed, file.path) && viewed[file.path] === fingerprintOf(file);

export function withViewed(viewed: Viewed, file: FileDiff, isOn: boolean): Viewed {
  const { [file.path]: _dropped, ...rest } = viewed;
  return isOn ? { ...rest, [file.path]: fingerprintOf(file) } : rest;
}

type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem'>;

export function readViewed(
  sessionId: string,
  storage: () => KeyValueStorage = () => localStorage,
): Viewed {
  return readAll(storage).find(([id]) => id === sessionId)?.[1] ?? {};
}

export function writeViewed(
  sessionId: string,
  viewed: Viewed,
  storage: () => KeyValueStorage = () => localStorage,
): void {
  const others = readAll(storage).filter(([id]) => id !== sessionId);
  try {
    storage().setItem(KEY, JSON.stringify([[sessionId, viewed], ...others].slice(0, MAX_REVIEWS)));
  } catch {
    // Storage may be denied or full; the marks last as long as the page.
  }
}

function readAll(storage: () => KeyValueStorage): Stored {
  try {
    const stored: unknown = JSON.parse(storage().getItem(KEY) ?? '[]');
    // Only this file writes the key; ignore anything but a list of pairs.
    return Array.isArray(stored) && stored.every((each) => Array.isArray(each))
      ? (stored as unknown as Stored)
      : [];
  } catch {
    return [];
  }
}
