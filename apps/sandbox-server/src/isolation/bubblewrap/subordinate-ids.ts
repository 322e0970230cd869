/** Ranges of ids that the administrator assigned to an ordinary user, in /etc/subuid and /etc/subgid. */
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { SUBORDINATE_COUNT } from './identity.ts';

export interface SubordinateIds {
  uidStart: number;
  gidStart: number;
}

/** The first range in `owner:start:count` lines that is large enough; the owner is a name or a number. */
export function findRange(text: string, name: string, uid: number): number | undefined {
  for (const line of text.split('\n')) {
    const [owner, start, count] = line.split(':');
    if (owner !== name && owner !== String(uid)) continue;
    if (Number(count) >= SUBORDINATE_COUNT && Number(start) > 0) return Number(start);
  }
  return undefined;
}

function readTable(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The account name that runs the server; a uid without an account has no subordinate ids. */
function accountName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

export function readSubordinateIds(): SubordinateIds | undefined {
  const name = accountName();
  const uid = process.getuid?.() ?? 0;
  if (name === undefined || uid === 0) return undefined;
  const uidStart = findRange(readTable('/etc/subuid'), name, uid);
  const gidStart = findRange(readTable('/etc/subgid'), name, uid);
  return uidStart === undefined || gidStart === undefined ? undefined : { uidStart, gidStart };
}
