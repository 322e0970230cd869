import { z } from 'zod';

import type { RuleName } from './policy.ts';

const entrySchema = z.object({
  host: z.string(),
  port: z.number(),
  /** The name inside the TLS conversation, where it is not `host`. */
  serverName: z.string().optional(),
  /** The address that the name resolved to, where that was the reason to refuse it. */
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
  /** Contacts beyond the bound, counted but not named. */
  unnamed: z.object({ allow: z.number(), deny: z.number() }),
});
export type LedgerFile = z.infer<typeof ledgerSchema>;

interface Contact {
  host: string;
  port: number;
  serverName?: string;
  address?: string;
  verdict: 'allow' | 'deny';
  rule: RuleName | 'gateway' | 'registry';
}

/** Bytes of one connection, written into its line as they pass. */
export interface Meter {
  out(bytes: number): void;
  in(bytes: number): void;
}

const IGNORED: Meter = { out: () => undefined, in: () => undefined };
const MAX_HOST_CHARS = 253;

/**
 * Every host that a sandbox contacted or tried to. Bounded per verdict, first come first named: a flood of refused names
 * must not push the allowed ones out of the book, nor the first refused ones.
 */
export class Ledger {
  readonly #id: string;
  readonly #entries = new Map<string, LedgerEntry>();
  readonly #named = { allow: 0, deny: 0 };
  readonly #unnamed = { allow: 0, deny: 0 };
  readonly #maxPerVerdict: number;
  readonly #onChange: (urgent: boolean) => void;
  /** Number of the newest refusal of each line, since this server started. */
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

  record(contact: Contact, nowMs: number): Meter {
    const host = contact.host.slice(0, MAX_HOST_CHARS);
    const key = keyOf({ ...contact, host });
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      if (this.#named[contact.verdict] >= this.#maxPerVerdict) {
        this.#unnamed[contact.verdict] += 1;
        this.#onChange(false);
        return IGNORED;
      }
      this.#named[contact.verdict] += 1;
      entry = {
        ...contact,
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
    if (contact.verdict === 'deny') this.#noteRefusal(key);
    line.connections += 1;
    line.rule = contact.rule;
    if (contact.address !== undefined) line.address = contact.address;
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

  #noteRefusal(key: string): void {
    this.#refusalCount += 1;
    this.#refusals.set(key, this.#refusalCount);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** What was refused after the given cursor; without one, only where the next call goes on. */
  refusalsAfter(cursor: number | undefined): { cursor: number; refusals: LedgerEntry[] } {
    // A cursor of an earlier server, whose count was another one.
    const after = cursor !== undefined && cursor > this.#refusalCount ? 0 : cursor;
    const refusals = [...this.#entries]
      .filter(([key]) => after !== undefined && (this.#refusals.get(key) ?? 0) > after)
      .map(([, entry]) => entry);
    return { cursor: this.#refusalCount, refusals };
  }

  /** Until the next refusal, at most until the signal. */
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
  entry: Pick<Contact, 'host' | 'port' | 'verdict'> & { serverName?: string | undefined },
): string {
  return `${entry.verdict} ${entry.host}:${entry.port} ${entry.serverName ?? ''}`;
}
