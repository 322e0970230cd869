/** Lists, board and alarms of a workspace with 100, 1,000 and 10,000 sessions: how much slower is the largest? */
import { openControlPlane } from '../../apps/control-plane/test/harness.ts';
import { type Report, goal, round } from '../report.ts';
import { dueAlarms } from './alarms.ts';
import { fillWorkspace } from './fill.ts';
import { type Figures, measure } from './measures.ts';

const SIZES = [100, 1_000, 10_000] as const;
const FLAT = 1.5;
/** Work that an index only partly avoids: a short word, or one that many sessions have, needs a scan of the texts. */
const OTHERS: Record<string, number> = {
  'search, found nowhere': 5,
  'search, found once': 5,
  'search, found at once': 5,
};

export async function benchScale(): Promise<Report> {
  const figures: Record<number, Figures> = {};
  const memoryMb: Record<number, number> = {};
  const ship = await openControlPlane();
  try {
    const { sessionId } = await ship.api.create({ title: 'the first' });
    for (const size of SIZES) {
      await ship.plane.kill();
      fillWorkspace(ship.plane.objectsFolder, size);
      await ship.plane.start();
      figures[size] = await measure(ship.api, sessionId, () => ship.plane.cpuMs());
      memoryMb[size] = round(ship.plane.memoryMb());
    }
  } finally {
    await ship.close();
  }
  const ratios = compare(figures[SIZES[0]] ?? {}, figures[SIZES[2]] ?? {});
  const alarms = await dueAlarms(200);
  const goals = [
    ...Object.entries(ratios).map(([name, ratio]) =>
      goal(`${name}: 10,000 sessions (times 100 sessions)`, ratio, OTHERS[name] ?? FLAT),
    ),
    goal('memory at 10,000 sessions (MB)', memoryMb[SIZES[2]] ?? Number.NaN, 300),
    goal('200 alarms due at once, all run (s)', alarms.allRunS, 30),
    goal('a list behind them, the slowest (ms)', alarms.list.slowestMs, 2_000),
  ];
  return { goals, milliseconds: figures, ratios, memoryMb, alarms };
}

/** Compares CPU time: response times also depend on other load on the machine. */
function compare(small: Figures, large: Figures): Record<string, number> {
  return Object.fromEntries(
    Object.entries(large).map(([name, { cpuMs }]) => [
      name,
      round(cpuMs / (small[name]?.cpuMs || Number.NaN)),
    ]),
  );
}
