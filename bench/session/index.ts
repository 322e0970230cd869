/** The session's Durable Object against a plain Node server that does the same, in the same run. */
import { type Report, goal, median, round } from '../report.ts';
import { idleSessions } from './idle.ts';
import { openLongLog } from './long-log.ts';
import { appendCpuMicros, fanOut, latency } from './measures.ts';
import { type Subject, openBaseline, openShip } from './subject.ts';

const ROUNDS = 3;
/** A process's CPU clock ticks every 10 ms: with fewer appends, a single tick would show in the ratio. */
const APPENDS = 2_000;
const APPEND_ROUNDS = 5;

export async function benchSession(): Promise<Report> {
  const append = await compared((subject) => appendCpuMicros(subject, APPENDS));
  const fanOuts = {
    50: await comparedFanOut(50, 200),
    500: await comparedFanOut(500, 60),
  };
  const delay = { ship: await once(openShip), node: await once(openBaseline) };
  const idle = await idleSessions(1_000);
  const longLog = await openLongLog(100_000, 5);
  const goals = [
    goal('durable append (times the CPU of plain Node)', append.ratio, 2.5),
    goal('fan-out to 50 (times plain Node)', fanOuts[50].ratio, 0.7, 'higher'),
    goal('fan-out to 500 (times plain Node)', fanOuts[500].ratio, 0.7, 'higher'),
    goal('fan-out, lost deliveries', fanOuts[50].lost + fanOuts[500].lost, 0),
    goal('event to client at 50 watchers (ms, p99)', delay.ship.p99, 100),
    goal('1,000 sessions with an idle socket each (MB)', idle.idleMb, 450),
    goal('session with 100,000 events, first screen (ms, p50)', longLog.p50, 300),
  ];
  return { goals, appendCpuMicros: append, fanOut: fanOuts, latencyMs: delay, idle, longLog };
}

async function once(open: () => Promise<Subject>) {
  const subject = await open();
  try {
    return await latency(subject, 50, 120);
  } finally {
    await subject.close();
  }
}

/** Alternates, so that other load on the machine affects both. */
async function alternately<Value>(
  measure: (subject: Subject) => Promise<Value>,
  rounds: number = ROUNDS,
) {
  const ship: Value[] = [];
  const node: Value[] = [];
  const subjects = [await openShip(), await openBaseline()] as const;
  try {
    for (let i = 0; i < rounds; i++) {
      ship.push(await measure(subjects[0]));
      node.push(await measure(subjects[1]));
    }
  } finally {
    for (const subject of subjects) await subject.close();
  }
  return { ship, node };
}

async function compared(measure: (subject: Subject) => Promise<number>) {
  const { ship, node } = await alternately(measure, APPEND_ROUNDS);
  const [ours, theirs] = [median(ship), median(node)];
  return { ship: round(ours), node: round(theirs), ratio: round(ours / theirs) };
}

async function comparedFanOut(watchers: number, events: number) {
  const { ship, node } = await alternately((subject) => fanOut(subject, watchers, events));
  const rate = (found: typeof ship) =>
    median(found.map(({ deliveriesPerSecond }) => deliveriesPerSecond));
  return {
    ship: rate(ship),
    node: rate(node),
    ratio: round(rate(ship) / rate(node)),
    lost: ship.reduce((sum, { lost }) => sum + lost, 0),
  };
}
