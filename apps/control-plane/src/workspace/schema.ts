/**
 * The workspace's tables. After a change run `npm run generate --workspace apps/control-plane`, which writes the next
 * migration; never edit an earlier one. The identity table predates this schema and is not part of it.
 */
import type {
  BoardColumn,
  CalibrationOutcome,
  CardId,
  Draft,
  ProviderId,
  ProviderInfo,
  PullRequestSummary,
  RepositoryId,
  SessionId,
  SessionStatus,
  SessionSummary,
  Settings,
  TokenId,
  WorkspaceChange,
} from '@ship/protocol';
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** `summary` is null once the session was removed: the row stays, so that a late report cannot bring it back. */
export const sessions = sqliteTable(
  'sessions',
  {
    sessionId: text('session_id').$type<SessionId>().primaryKey(),
    version: integer('version').notNull(),
    summary: text('summary', { mode: 'json' }).$type<SessionSummary>(),
    searchText: text('search_text').notNull(),
    status: text('status').$type<SessionStatus>(),
    repository: text('repository'),
    costMicros: integer('cost_micros'),
    pullRequestState: text('pull_request_state').$type<PullRequestSummary['state']>(),
    firstTokenMs: integer('first_token_ms'),
    pullRequestMs: integer('pull_request_ms'),
    /** Lists are ordered by this and not by the id: a session from the warm pool has an id from before its creation. */
    createdAt: integer('created_at').notNull().default(0),
  },
  (table) => [
    index('sessions_by_creation').on(table.createdAt, table.sessionId),
    index('sessions_by_repository').on(table.repository, table.createdAt, table.sessionId),
    // Without it, a rare status would need a scan of all sessions.
    index('sessions_by_status').on(table.status, table.createdAt, table.sessionId),
    // A covering index for medians: the rows themselves are long.
    index('sessions_by_speed').on(table.createdAt, table.firstTokenMs, table.pullRequestMs),
  ],
);

/**
 * Row counts, maintained by triggers (see their migration): counting 10,000 sessions for each view of the statistics blocked
 * every other request.
 */
export const counters = sqliteTable('counters', {
  name: text('name').primaryKey(),
  total: integer('total').notNull(),
});

/** Outcomes of pull requests with a score. Kept after the session is removed, because it contains nothing else of it. */
export const outcomes = sqliteTable(
  'outcomes',
  {
    sessionId: text('session_id').$type<SessionId>().notNull(),
    /** The pull request's number: work after a merge gets a new one. */
    number: integer('number').notNull(),
    score: integer('score').notNull(),
    outcome: text('outcome').$type<CalibrationOutcome>().notNull(),
    at: integer('at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.number] }),
    index('outcomes_by_score').on(table.score, table.outcome),
  ],
);

/** `derivedColumn` follows from the session's state; `column` differs after a person moved the card. */
export const cards = sqliteTable(
  'cards',
  {
    cardId: text('card_id').$type<CardId>().primaryKey(),
    sessionId: text('session_id').$type<SessionId>().unique(),
    draft: text('draft', { mode: 'json' }).$type<Draft>(),
    column: text('board_column').$type<BoardColumn>().notNull(),
    derivedColumn: text('derived_column').$type<BoardColumn>(),
    position: real('position').notNull(),
    requestId: text('request_id').unique(),
    requestBody: text('request_body'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** The session's creation time, for the order of a column's list; 0 until the session reports. */
    sessionAt: integer('session_at').notNull().default(0),
  },
  (table) => [
    index('cards_by_place').on(table.column, table.position),
    // For pages of a column: the done column contains all finished sessions.
    index('cards_by_column').on(table.column, table.sessionAt, table.sessionId),
    index('cards_by_state').on(table.derivedColumn, table.sessionId),
  ],
);

export const repositories = sqliteTable('repositories', {
  repositoryId: text('repository_id').$type<RepositoryId>().primaryKey(),
  location: text('location').notNull(),
  /** The location without a trailing slash and `.git`. */
  locationKey: text('location_key').notNull().unique(),
  name: text('name').notNull(),
  defaultBase: text('default_base'),
  setupCommand: text('setup_command'),
  verifyCommand: text('verify_command'),
  installDependencies: integer('install_dependencies', { mode: 'boolean' }),
  installScripts: integer('install_scripts', { mode: 'boolean' }),
  instructions: text('instructions'),
  /** Limit of steps per turn; null uses the settings. */
  maxStepsPerTurn: integer('max_steps_per_turn'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** One row. Parsed on reading, so that fields of later versions get their defaults. */
export const settings = sqliteTable('settings', {
  one: integer('one').primaryKey(),
  version: integer('version').notNull(),
  value: text('value').notNull(),
});

/** The session that each creation request got, so that a retry gets the same one. */
export const admissions = sqliteTable(
  'admissions',
  {
    requestId: text('request_id').primaryKey(),
    fingerprint: text('fingerprint').notNull(),
    sessionId: text('session_id').$type<SessionId>().notNull(),
    at: integer('at').notNull(),
  },
  (table) => [index('admissions_by_age').on(table.at)],
);

/** Working and waiting sessions. A row that is not renewed expires. */
export const slots = sqliteTable('slots', {
  sessionId: text('session_id').$type<SessionId>().primaryKey(),
  /** The place in the queue; kept on renewal. */
  askedAt: integer('asked_at').notNull(),
  renewedAt: integer('renewed_at').notNull(),
  isWorking: integer('is_working', { mode: 'boolean' }).notNull(),
});

/** Kept setups at sandbox services. Limited in number, because each is a copy of a sandbox's files. */
export const setups = sqliteTable(
  'setups',
  {
    name: text('name').primaryKey(),
    repository: text('repository').notNull(),
    base: text('base').notNull(),
    provider: text('provider').$type<Settings['sandboxProvider']>().notNull(),
    sessionId: text('session_id').$type<SessionId>().notNull(),
    /** Empty in rows of older versions, which are no longer used. */
    key: text('key').notNull().default(''),
    baseSha: text('base_sha').notNull().default(''),
    command: text('command').notNull().default(''),
    setupMs: integer('setup_ms').notNull(),
    madeAt: integer('made_at').notNull(),
    usedAt: integer('used_at').notNull(),
  },
  (table) => [index('setups_by_spot').on(table.repository, table.base, table.provider)],
);

/** `scope` is a repository's id, or empty for the whole workspace. */
export const secrets = sqliteTable(
  'secrets',
  {
    scope: text('scope').notNull(),
    name: text('name').notNull(),
    keyId: text('key_id').notNull(),
    /** Base64 of the nonce and the ciphertext with its tag. */
    sealed: text('sealed').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.name] })],
);

/** `sealed` contains the key and the header values; null when there are none. */
export const providers = sqliteTable('providers', {
  providerId: text('provider_id').$type<ProviderId>().primaryKey(),
  config: text('config', { mode: 'json' })
    .$type<
      Pick<ProviderInfo, 'name' | 'protocol' | 'baseUrl' | 'models' | 'hasKey' | 'headerNames'>
    >()
    .notNull(),
  keyId: text('key_id'),
  sealed: text('sealed'),
  updatedAt: integer('updated_at').notNull(),
});

/** `url` is the forge that the token was set for; it is not used for other URLs. */
export const forgeTokens = sqliteTable('forge_tokens', {
  url: text('url').primaryKey(),
  /** The token's user, once the forge has reported it. */
  login: text('login'),
  keyId: text('key_id').notNull(),
  sealed: text('sealed').notNull(),
  setAt: integer('set_at').notNull(),
});

/** Reservations of open model calls for today. */
export const dayReservations = sqliteTable('day_reservations', {
  callId: text('call_id').primaryKey(),
  micros: integer('micros').notNull(),
  tokens: integer('tokens').notNull().default(0),
  expiresAt: integer('expires_at').notNull(),
});

export const tokens = sqliteTable('tokens', {
  tokenId: text('token_id').$type<TokenId>().primaryKey(),
  name: text('name').notNull(),
  hash: text('hash').notNull().unique(),
  createdAt: integer('created_at').notNull(),
  lastUsedAt: integer('last_used_at'),
  revokedAt: integer('revoked_at'),
});

/** Browsers that signed in with an API token or (`ownerMark`) with the owner's token. */
export const browsers = sqliteTable('browsers', {
  hash: text('hash').primaryKey(),
  tokenId: text('token_id').$type<TokenId>(),
  ownerMark: text('owner_mark'),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
});

export const usageKeys = sqliteTable(
  'usage_keys',
  { key: text('key').primaryKey(), at: integer('at').notNull() },
  (table) => [index('usage_keys_by_age').on(table.at)],
);

/** Costs in integer millionths of a dollar: sums of fractions would drift. */
export const usageTotals = sqliteTable(
  'usage_totals',
  {
    day: text('day').notNull(),
    model: text('model').notNull(),
    repository: text('repository').notNull(),
    costMicros: integer('cost_micros').notNull(),
    unpriced: integer('unpriced').notNull(),
    inputTokens: integer('input_tokens').notNull(),
    outputTokens: integer('output_tokens').notNull(),
    entries: integer('entries').notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.model, table.repository] })],
);

/** Recent changes, numbered without gaps, so that a reconnecting watcher gets what it missed. */
export const changes = sqliteTable('changes', {
  version: integer('version').primaryKey({ autoIncrement: true }),
  change: text('change', { mode: 'json' }).$type<WorkspaceChange>().notNull(),
});
