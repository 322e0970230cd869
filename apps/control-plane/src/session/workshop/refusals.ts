import { entryFor, refusalLine, refusalNote, sessionEvent } from '@ship/core';
import { EGRESS_EVENT_LIMITS, type Refusal, type TurnId, knownEvent } from '@ship/protocol';
import type { RefusalSource } from '../../sandbox/refusals.ts';
import type { Bench, WorkLog } from './parts.ts';

const PAGE = 200;
const WRITE_TIMEOUT_MS = 10_000;
const PAUSE_MS = 1_000;

/** Rules that do not concern a host that a person could allow. */
const NOT_REPORTED = new Set(['malformed', 'tunnel-port', 'tls-only', 'no-server-name']);
/** The agent's own program contacts these for updates; it works without them, and a person has nothing to decide. */
const AGENT_HOSTS = new Set(['models.dev', 'opencode.ai', 'api.opencode.ai']);

/**
 * Writes to the log of every running command, through the pipe of `runLogged`, so that the line appears where the command was
 * refused. Gives up a pipe without a reader after a moment.
 */
const INTO_LOGS = `for pipe in /tmp/ship-*.log.pipe; do
  [ -p "$pipe" ] && timeout 2 sh -c 'printf "%s\\n" "$1" >"$2"' sh "$1" "$pipe"
done
true`;

interface RefusalWatch {
  stop(): void;
}

/**
 * Follows what the sandbox is refused during a turn, by long polling: a refusal appears in the session's log and in the log of
 * the running command within moments, and a quiet network costs one request every 20 s. A service that does not answer ends it;
 * that must not fail the turn.
 */
export function watchRefusals(
  source: RefusalSource,
  { port, sandboxId }: Pick<Bench, 'port' | 'sandboxId'>,
  store: Pick<WorkLog, 'record'>,
  turnId: TurnId,
): RefusalWatch {
  const stop = new AbortController();
  const reported = new Set<string>();
  const report = async (refusal: Refusal): Promise<void> => {
    const { host, port: hostPort, rule } = refusal;
    const key = `${host}:${hostPort} ${rule}`;
    // The turn has ended: the next one reports what is refused then.
    if (stop.signal.aborted) return;
    const isWorth = !NOT_REPORTED.has(rule) && !AGENT_HOSTS.has(host);
    if (!isWorth || reported.has(key) || reported.size >= EGRESS_EVENT_LIMITS.perTurn) return;
    reported.add(key);
    store.record([sessionEvent('egress.refused', { ...refusal, turnId })]);
    const argv = ['bash', '-c', INTO_LOGS, 'ship', refusalLine(refusal)] as const;
    await port.run(sandboxId, { argv, timeoutMs: WRITE_TIMEOUT_MS });
  };
  const follow = async (): Promise<void> => {
    let cursor = (await source(sandboxId, undefined, stop.signal))?.cursor;
    while (
      cursor !== undefined &&
      !stop.signal.aborted &&
      reported.size < EGRESS_EVENT_LIMITS.perTurn
    ) {
      const next = await source(sandboxId, cursor, stop.signal);
      for (const refusal of next?.refusals ?? []) await report(refusal);
      cursor = next?.cursor;
      // A program that is refused a thousand times a second must not cause as many requests.
      if (next !== undefined && next.refusals.length > 0) await pause(stop.signal);
    }
  };
  void follow().catch(() => undefined);
  return { stop: () => stop.abort() };
}

function pause(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, PAUSE_MS);
    stop.addEventListener('abort', end, { once: true });
    if (stop.aborted) end();
  });
}

/**
 * Appends to the prompt what was refused since the agent's last prompt and is still not allowed. Leaves slash commands as they
 * are.
 */
export function withRefusals(store: WorkLog, text: string, allow: readonly string[]): string {
  if (text.startsWith('/')) return text;
  const since = store.state?.agent.turn?.sinceSeq ?? 0;
  const refused = refusalsSince(store, since).filter((refusal) => {
    const entry = entryFor(refusal);
    return entry === undefined || !allow.includes(entry);
  });
  return text + refusalNote(refused);
}

function refusalsSince(store: WorkLog, seq: number): Refusal[] {
  const found: Refusal[] = [];
  for (let after = Math.max(0, seq - 1); ;) {
    const page = store.log.page(after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return found;
    after = last.seq;
    for (const envelope of page) {
      const event = envelope.type === 'egress.refused' ? knownEvent(envelope) : undefined;
      if (event?.type === 'egress.refused') found.push(event.data);
    }
  }
}
