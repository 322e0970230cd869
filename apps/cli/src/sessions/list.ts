import type { SessionStatus, SessionSummary } from '@ship/protocol';
import { type ClientOptions, withServer } from '../client/with-server.ts';
import { duration, money, oneLine } from '../progress/text.ts';

export interface ListOptions extends ClientOptions {
  status?: SessionStatus[];
  search?: string;
  limit: number;
}

export async function listSessions(options: ListOptions): Promise<void> {
  const { status, search, limit } = options;
  const page = await withServer(options, ({ client }) =>
    client.sessions({
      limit,
      ...(status === undefined ? {} : { status }),
      ...(search === undefined ? {} : { q: search }),
    }),
  );
  if (options.json === true) process.stdout.write(`${JSON.stringify(page)}\n`);
  else process.stdout.write(renderSessions(page.sessions, Date.now(), process.stdout.columns));
}

function renderSessions(sessions: readonly SessionSummary[], nowMs: number, columns = 120): string {
  if (sessions.length === 0) return 'No sessions. Start one with: ship run "what to do"\n';
  const rows = sessions.map((session) => [
    session.sessionId,
    session.needsYou === null ? session.status : `needs you: ${session.needsYou}`,
    `${duration(Math.max(0, nowMs - session.updatedAt))} ago`,
    session.costUsd === 0 ? '' : money(session.costUsd),
    session.title,
  ]);
  const widths = [0, 1, 2, 3].map((i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) => {
      const cells = row.map((cell, i) => (i < 4 ? cell.padEnd(widths[i] ?? 0) : cell));
      return `${oneLine(cells.join('  '), Math.max(60, columns))}\n`;
    })
    .join('');
}
