import { BranchName, type CardId, type SessionId, type ShipError, shipError } from '@ship/protocol';

const MAX_SLUG = 40;
/** Four characters collided in practice; eight of a random id do not. */
const SESSION_CHARACTERS = 8;

export interface BranchFacts {
  sessionId: SessionId;
  title: string;
  /** When the session was created. */
  createdAtMs: number;
  /** The task on the board that the session works on. */
  cardId: CardId | null;
}

/**
 * The branch of a session. Deterministic, so that a start that is repeated after a crash finds its branch. No slash: `ship/x`
 * cannot exist beside a branch `ship`.
 */
export function branchName({ sessionId, title, createdAtMs, cardId }: BranchFacts): string {
  if (cardId !== null) return `task-${cardId.slice(cardId.indexOf('_') + 1)}`;
  const slug = slugOf(title);
  return ['ship', slug, timestamp(createdAtMs), tail(sessionId)]
    .filter((part) => part !== '')
    .join('-');
}

/** The fallback for a name that is taken, for example by a task's first session. */
export function alternativeBranchName(name: string, sessionId: SessionId): string {
  return `${name}-${tail(sessionId)}`;
}

export function slugOf(title: string): string {
  return title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replaceAll(/^-+|-+$/g, '');
}

function timestamp(atMs: number): string {
  // Date throws beyond its range; a wrong clock must not prevent a name.
  const bounded = Math.min(Math.max(0, Math.trunc(atMs) || 0), 253_402_300_799_000);
  return new Date(bounded).toISOString().replaceAll(/\D/g, '').slice(0, 12);
}

function tail(sessionId: SessionId): string {
  return sessionId.slice(-SESSION_CHARACTERS);
}

/** The error when a person's branch name cannot be used; undefined when it can. */
export function refuseBranchName(
  name: string,
  taken: { base: string; defaultBranch: string },
): ShipError | undefined {
  const refused = (why: string) =>
    shipError('invalid-input', `The branch cannot be named "${name}": ${why}.`, 'Choose another.');
  // git reads "HEAD" as the current commit and "refs/heads/x" as a path: a branch of that name is a trap for people.
  if (/^(HEAD|FETCH_HEAD|ORIG_HEAD|MERGE_HEAD|@)$/i.test(name)) return refused('git reserves it');
  if (/^refs\//i.test(name)) return refused('it looks like the path of a ref');
  if (/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(name)) return refused('it looks like a commit');
  if (!BranchName.safeParse(name).success) return refused('git does not allow it');
  if (name === taken.base || name === taken.defaultBranch)
    return refused('Ship never works on the base or the default branch itself');
  return undefined;
}
