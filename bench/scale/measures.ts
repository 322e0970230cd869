import { Board, SessionPage } from '@ship/protocol';
import type { Api } from '../../apps/control-plane/test/harness/api.ts';
import { type Spread, repeat, timed } from '../statistics.ts';
import { round } from '../report.ts';

const TIMES = 100;
const CREATIONS = 20;

export interface Figures {
  /** `cpuMs`: CPU time of the control plane per operation, which other load on the machine hardly changes. */
  [operation: string]: Spread & { cpuMs: number };
}

/** Typical requests of people and programs to a workspace, in sequence. */
export async function measure(api: Api, sessionId: string, cpuMs: () => number): Promise<Figures> {
  const list =
    (query: string, limit = 50) =>
    async () =>
      SessionPage.parse(await api.ask('GET', `/sessions?limit=${limit}${query}`));
  const costs = async (times: number, once: () => Promise<unknown>) => {
    const before = cpuMs();
    const spread = await repeat(times, () => timed(once));
    return { ...spread, cpuMs: round((cpuMs() - before) / times) };
  };
  const middle = await middleOf(api);
  const reads: Record<string, () => Promise<unknown>> = {
    list: list(''),
    'list, a page in the middle': list(`&cursor=${middle}`),
    'list, one repository': list('&repository=/srv/code/app-7'),
    'list, a status that few have': list('&status=working'),
    'list, a column that few are in': list('&column=in-review'),
    'list, a column that most are in': list('&column=done', 20),
    'search, found at once': list('&q=footer'),
    'search, found once': list('&q=customer+77'),
    'search, found nowhere': list('&q=nowhere'),
    board: async () => Board.parse(await api.ask('GET', '/board')),
    stats: () => api.ask('GET', '/stats'),
    'one session': () => api.ask('GET', `/sessions/${sessionId}`),
  };
  const figures: Figures = {};
  for (const [name, read] of Object.entries(reads)) {
    await read();
    figures[name] = await costs(TIMES, read);
  }
  const made: string[] = [];
  figures.create = await costs(CREATIONS, async () =>
    made.push((await api.create({ title: 'measured' })).sessionId),
  );
  // Otherwise the board of the next size would have cards that the previous one did not.
  for (const each of made) await api.ask('DELETE', `/sessions/${each}`);
  return figures;
}

async function middleOf(api: Api): Promise<string> {
  let cursor: string | null = null;
  // Limited: with ten thousand sessions this is half of the pages of 200.
  for (let page = 0; page < 25; page += 1) {
    const found: SessionPage = SessionPage.parse(
      await api.ask('GET', `/sessions?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`),
    );
    if (found.nextCursor === null) return cursor ?? found.sessions.at(20)?.sessionId ?? '';
    cursor = found.nextCursor;
  }
  return cursor ?? '';
}
