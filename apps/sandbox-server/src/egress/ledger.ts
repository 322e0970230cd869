import { z } from 'zod';

import type { RuleName } from './policy.ts';

const entrySchema = z.object({
  host: z.string(),
  port: z.number(),
  /** The TLS server name, if it differs from `host`. */
  serverName: z.string().optional(),
  /** The address that the name resolved to, if that was the reason for the refusal. */
  address: z.string().optional(),
  verdict: z.enum(['allow', 'deny']),
  rule: z.string(),
  firstSeenMs: z.number(),
  lastSeenMs: z.number(),
  connections: z.number(),
  bytesOut: z.number(),
  bytesIn: z.number(),
});
export type LedgerEntry = z.infer<typeof entrySchema>;

export const ledgerSchema = z.object({
  id: z.string(),
  entries: z.array(entrySchema),
  /** Connections beyond the limit, counted without their names. */
  unnamed: z.object({ allow: z.number(), deny: z.number() }),
});
export type LedgerFile = z.infer<typeof ledgerSchema>;

interface ConnectionAttempt {
  host: string;
  port: number;
  serverName?: string;
  address?: string;
  verdict: 'allow' | 'deny';
  rule: RuleName | 'gateway' | 'registry';
}

/** Byte counts of one connection, added to its entry as they pass. */
export interface Meter {
  out(bytes: number): void;
  in(bytes: number): void;
}

const IGNORED: Meter = { out: () => undefined, in: () => undefined };
const MAX_HOST_CHARS = 253;

/**
 * Every host that a sandbox contacted or tried to contact. Limited per verdict, earliest first: a flood of refused names
 * must displace neither the allowed ones nor the first refused ones.
 */
export class Ledger {
  readonly #id: string;
  readonly #entries = new Map<string, LedgerEntry>();
  readonly #named = { allow: 0, deny: 0 };
  readonly #unnamed = { allow: 0, deny: 0 };
  readonly #maxPerVerdict: number;
  readonly #onChange: (urgent: boolean) => void;
  /** Number of the latest refusal of each entry, since this server started. */
  readonly #refusals = new Map<string, number>();
  #refusalCount = 0;
  readonly #waiting = new Set<() => void>();

  constructor(
    id: string,
    onChange: (urgent: boolean) => void,
    saved?: LedgerFile,
    maxPerVerdict = 500,
  ) {
    this.#id = id;
    this.#onChange = onChange;
    this.#maxPerVerdict = maxPerVerdict;
    for (const entry of saved?.entries ?? []) {
      this.#entries.set(keyOf(entry), { ...entry });
      this.#named[entry.verdict] += 1;
    }
    if (saved !== undefined) Object.assign(this.#unnamed, saved.unnamed);
  }

  record(attempt: ConnectionAttempt, nowMs: number): Meter {
    const host = attempt.host.slice(0, MAX_HOST_CHARS);
    const key = keyOf({ ...attempt, host });
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      if (this.#named[attempt.verdict] >= this.#maxPerVerdict) {
        this.#unnamed[attempt.verdict] += 1;
        this.#onChange(false);
        return IGNORED;
      }
      this.#named[attempt.verdict] += 1;
      entry = {
        ...attempt,
        host,
        firstSeenMs: nowMs,
        lastSeenMs: nowMs,
        connections: 0,
        bytesOut: 0,
        bytesIn: 0,
      };
      this.#entries.set(key, entry);
      this.#onChange(true);
    }
    const line = entry;
    if (attempt.verdict === 'deny') this.#recordRefusal(key);
    line.connections += 1;
    line.rule = attempt.rule;
    if (attempt.address !== undefined) line.address = attempt.address;
    line.lastSeenMs = nowMs;
    this.#onChange(false);
    return {
      out: (bytes) => {
        line.bytesOut += bytes;
        this.#onChange(false);
      },
      in: (bytes) => {
        line.bytesIn += bytes;
        this.#onChange(false);
      },
    };
  }

  #recordRefusal(key: string): void {
    this.#refusalCount += 1;
    this.#refusals.set(key, this.#refusalCount);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Refusals after the given cursor; without a cursor, only the current one, where the next call continues. */
  refusalsAfter(cursor: number | undefined): { cursor: number; refusals: LedgerEntry[] } {
    // The cursor is from an earlier server with another count.
    const after = cursor !== undefined && cursor > this.#refusalCount ? 0 : cursor;
    const refusals = [...this.#entries]
      .filter(([key]) => after !== undefined && (this.#refusals.get(key) ?? 0) > after)
      .map(([, entry]) => entry);
    return { cursor: this.#refusalCount, refusals };
  }

  /** Resolves at the next refusal, or when the signal aborts. */
  untilRefusal(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });
  }

  toFile(): LedgerFile {
    return { id: this.#id, entries: [...this.#entries.values()], unnamed: { ...this.#unnamed } };
  }
}

function keyOf(
  entry: Pick<ConnectionAttempt, 'host' | 'port' | 'verdict'> & { serverName?: string | undefined },
): string {
  return `${entry.verdict} ${entry.host}:${entry.port} ${entry.serverName ?? ''}`;
}
