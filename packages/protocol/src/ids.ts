import * as z from 'zod';

/**
 * Every id has a prefix for its type (`ses_…`, `turn_…`), so that an id in the wrong field is refused instead of silently
 * finding nothing. The rest is a lowercase ULID: sortable by time, safe in host names and git refs.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

function idSchema<const Name extends string>(prefix: Name) {
  return z
    .string()
    .regex(
      new RegExp(`^${prefix}_[${ALPHABET}]{${TIME_LENGTH + RANDOM_LENGTH}}$`),
      `must be an id that starts with "${prefix}_"`,
    )
    .brand(prefix);
}

export const SessionId = idSchema('ses');
export type SessionId = z.infer<typeof SessionId>;

export const TurnId = idSchema('turn');
export type TurnId = z.infer<typeof TurnId>;

export const PromptId = idSchema('prm');
export type PromptId = z.infer<typeof PromptId>;

export const WorkspaceId = idSchema('wsp');
export type WorkspaceId = z.infer<typeof WorkspaceId>;

export const RepositoryId = idSchema('rep');
export type RepositoryId = z.infer<typeof RepositoryId>;

export const CardId = idSchema('crd');
export type CardId = z.infer<typeof CardId>;

export const TokenId = idSchema('tok');
export type TokenId = z.infer<typeof TokenId>;

export const DraftId = idSchema('drf');
export type DraftId = z.infer<typeof DraftId>;

/** The idempotency key, chosen by the client: any short printable string. */
export const RequestId = z
  .string()
  .regex(/^[\x21-\x7e]{8,128}$/, 'must be 8 to 128 printable characters without spaces')
  .brand('req');
export type RequestId = z.infer<typeof RequestId>;

const SCHEMAS = {
  ses: SessionId,
  turn: TurnId,
  prm: PromptId,
  wsp: WorkspaceId,
  rep: RepositoryId,
  crd: CardId,
  tok: TokenId,
  drf: DraftId,
};
type Prefix = keyof typeof SCHEMAS;
type IdOf<P extends Prefix> = z.infer<(typeof SCHEMAS)[P]>;

/** Pure: the same time and bytes give the same id. */
export function formatId<P extends Prefix>(prefix: P, atMs: number, random: Uint8Array): IdOf<P> {
  let time = '';
  for (let rest = atMs, i = 0; i < TIME_LENGTH; i++) {
    time = ALPHABET.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  let tail = '';
  for (let i = 0; i < RANDOM_LENGTH; i++) tail += ALPHABET.charAt((random[i] ?? 0) % 32);
  return SCHEMAS[prefix].parse(`${prefix}_${time}${tail}`) as IdOf<P>;
}

/** The time in the id, in milliseconds since the epoch. */
export function timeOfId(id: string): number {
  const start = id.indexOf('_') + 1;
  let ms = 0;
  for (const digit of id.slice(start, start + TIME_LENGTH)) ms = ms * 32 + ALPHABET.indexOf(digit);
  return ms;
}

export function createId<P extends Prefix>(prefix: P): IdOf<P> {
  return formatId(prefix, Date.now(), crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH)));
}
