import { sha256Hex, toBase64Url } from '../../platform/bytes.ts';
import { type Credential, readCredentials, writeCredentials } from '../../platform/credential.ts';

export const PORT_PASSES_TABLE = `CREATE TABLE port_passes (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  port INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT`;

/** Older passes have none, and end by their expiry alone. */
export const PASS_CREDENTIALS_STEP = `ALTER TABLE port_passes ADD COLUMN credentials TEXT NOT NULL DEFAULT ''`;

/** Long enough to follow one redirect, too short to be worth stealing from an address bar. */
const TICKET_LIFE_MS = 60_000;
/** A working day; opening the port again issues a new one. */
export const COOKIE_LIFE_MS = 12 * 60 * 60_000;
/** Per kind. The oldest are evicted: issuing thousands must not fill the disk. */
const MAX_PASSES = 200;

type Kind = 'ticket' | 'cookie';

/** Ends with the first of the credentials of the person who asked for it. */
export interface Pass {
  credentials: Credential[];
}

type Row = { port: number; expires_at: number; credentials: string };

/**
 * Access to ports. A ticket is valid once and for a minute, and is exchanged for a cookie. Both are random and stored as hashes
 * only, with their session: they do not exist for other sessions and vanish with it.
 */
export class PortPasses {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  async issue(
    kind: Kind,
    { port, credentials }: Pass & { port: number },
    nowMs: number,
  ): Promise<{ value: string; endsAt: number }> {
    const value = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
    const hash = await sha256Hex(value);
    const endsAt = nowMs + (kind === 'ticket' ? TICKET_LIFE_MS : COOKIE_LIFE_MS);
    this.#sql.exec('DELETE FROM port_passes WHERE expires_at <= ?', nowMs);
    this.#sql.exec(
      'INSERT INTO port_passes VALUES (?, ?, ?, ?, ?)',
      hash,
      kind,
      port,
      endsAt,
      writeCredentials(credentials),
    );
    this.#sql.exec(
      `DELETE FROM port_passes WHERE kind = ?1 AND rowid NOT IN
         (SELECT rowid FROM port_passes WHERE kind = ?1 ORDER BY rowid DESC LIMIT ?2)`,
      kind,
      MAX_PASSES,
    );
    return { value, endsAt };
  }

  /** Deleted in the same statement: two concurrent requests cannot both redeem the ticket. */
  async redeem(ticket: string, port: number, nowMs: number): Promise<Pass | undefined> {
    const taken = this.#sql
      .exec<Row>(
        "DELETE FROM port_passes WHERE hash = ? AND kind = 'ticket' RETURNING port, expires_at, credentials",
        await sha256Hex(ticket),
      )
      .toArray()[0];
    return passIn(taken, port, nowMs);
  }

  /** The caller checks whether the credentials are still valid. */
  async opened(cookies: readonly string[], port: number, nowMs: number): Promise<Pass[]> {
    const found: Pass[] = [];
    for (const cookie of cookies) {
      const [row] = this.#sql
        .exec<Row>(
          "SELECT port, expires_at, credentials FROM port_passes WHERE hash = ? AND kind = 'cookie'",
          await sha256Hex(cookie),
        )
        .toArray();
      const pass = passIn(row, port, nowMs);
      if (pass !== undefined) found.push(pass);
    }
    return found;
  }
}

function passIn(row: Row | undefined, port: number, nowMs: number): Pass | undefined {
  if (row === undefined || row.port !== port || row.expires_at <= nowMs) return undefined;
  return { credentials: readCredentials(row.credentials) };
}
