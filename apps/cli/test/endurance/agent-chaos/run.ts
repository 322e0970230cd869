/** Repeatedly kills one component of Ship while an agent works, and judges the result of each task. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { evolveAll, summarize } from '@ship/core';
import type { LedgerEntry } from '@ship/demo-model';
import type { DurableEnvelope, SessionId, SessionState } from '@ship/protocol';
import { until } from '../../launch.ts';
import { between, seededRandom } from '../../../../../scripts/testing/random.ts';
import { branchFaults } from '../delivery.ts';
import { untilIdle, retryUntilAnswered } from '../sessions.ts';
import { MODEL, ShipHost } from '../ship-host.ts';
import { type Bill, expectedBill, isBilledCorrectly, repeatedSteps } from './judge.ts';
import { EXPECTED_FILES, LAST_STEP, PROMPT, chaosRule, makeRepository } from './task.ts';
import { SETTLING_MS, VICTIMS, type Victim, killVictim } from './victims.ts';

/** Longer than any recovery: after this time a task hangs. */
const TIMEOUT_MS = 6 * 60_000;
/** A task that does not reach the step in this time has failed before the kill. */
const STEP_MS = 3 * 60_000;
const SETTLE_MS = 15_000;
/** Total time, for any number of runs. */
const MAX_MS = 60 * 60_000;

/** When to kill: a delay after the session's creation, or after the model call of a step. */
export interface Moment {
  afterStep: number | undefined;
  delayMs: number;
}

export interface AgentRun {
  run: number;
  victim: Victim;
  moment: Moment;
  /** From the kill until the agent's next model call or, without one, until the end. */
  recoveryMs: number;
  totalMs: number;
  attempts: number;
  repeatedSteps: number;
  conversationsLost: number;
  bill: Bill & { billedMicros: number };
  /** The session's events since the kill. */
  eventsSinceKill: string[];
  /** Empty when everything is correct. */
  faults: string[];
}

export interface AgentChaosOptions {
  runs: number;
  seed: number;
  victims?: readonly Victim[];
  say?: (text: string) => void;
}

export interface AgentChaosOutcome {
  runs: AgentRun[];
  /** The requested number of runs; after the time limit no more are started. */
  wanted: number;
  leftBehind: string[];
}

export async function runAgentChaos(options: AgentChaosOptions): Promise<AgentChaosOutcome> {
  const { runs, seed, victims = VICTIMS, say } = options;
  const random = seededRandom(seed);
  const host = await ShipHost.open({ rules: [chaosRule] });
  const done: AgentRun[] = [];
  let leftBehind: string[] = [];
  const deadlineMs = Date.now() + MAX_MS;
  try {
    for (let run = 0; run < runs && Date.now() < deadlineMs; run++) {
      const victim = victims[run % victims.length] ?? 'agent';
      const result = await interrupt(host, { run, victim, moment: momentOf(random), random });
      done.push(result);
      say?.(lineOf(result));
    }
    leftBehind = await host.untilEmpty();
  } finally {
    leftBehind = [...leftBehind, ...(await host.close())];
  }
  return { runs: done, wanted: runs, leftBehind };
}

/** The start, any step or the delivery, with equal probability. */
function momentOf(random: () => number): Moment {
  const stage = between(random, -1, LAST_STEP + 1);
  return stage < 0
    ? { afterStep: undefined, delayMs: between(random, 0, 1_500) }
    : { afterStep: stage, delayMs: between(random, 0, 600) };
}

interface Plan {
  run: number;
  victim: Victim;
  moment: Moment;
  random: () => number;
}

async function interrupt(host: ShipHost, plan: Plan): Promise<AgentRun> {
  const { run, victim, moment, random } = plan;
  const repository = host.repository(`run-${run}`);
  await makeRepository(repository);
  const billedBefore = await settledMicros(host);
  const since = newestSeq(host);
  const entries = () => host.model.served().entries.filter(({ seq }) => seq > since);
  const startedAtMs = Date.now();
  const { sessionId } = await host.client.createSession({
    repository,
    prompt: PROMPT,
    model: MODEL,
  });
  const faults: string[] = [];
  let killedAtMs = 0;
  try {
    await untilMoment(moment, entries);
    killedAtMs = await killVictim(host, sessionId, victim, between(random, 0, 1_000));
  } catch (error) {
    faults.push(`no kill: ${error instanceof Error ? error.message : String(error)}`);
  }
  const state = await untilIdle(host, sessionId, { timeoutMs: TIMEOUT_MS });
  const idleAtMs = Date.now();
  const asked = entries();
  const bill = expectedBill(asked, { atMs: killedAtMs, settlingMs: SETTLING_MS[victim] });
  const billedMicros = (await settledMicros(host, bill, billedBefore)) - billedBefore;
  const log = await readLog(host, sessionId);
  faults.push(...stateFaults(state, log));
  faults.push(...(await deliveryFaults(host, repository, state)));
  if (!isBilledCorrectly(bill, billedMicros))
    faults.push(`billed ${billedMicros} µ$, not ${bill.leastMicros} to ${bill.mostMicros}`);
  await retryUntilAnswered('the deletion', () => host.client.deleteSession(sessionId));
  const next = asked.find(({ atMs }) => atMs > killedAtMs)?.atMs ?? idleAtMs;
  return {
    run,
    victim,
    moment,
    recoveryMs: Math.min(next, idleAtMs) - killedAtMs,
    totalMs: idleAtMs - startedAtMs,
    attempts: state?.agent.turn?.attempt ?? 0,
    repeatedSteps: repeatedSteps(asked),
    conversationsLost: log.filter(({ type }) => type === 'agent.session-opened').length - 1,
    bill: { ...bill, billedMicros },
    eventsSinceKill: eventsSince(log, killedAtMs),
    faults,
  };
}

/** All changes of turn, sandbox and stages, with the time since the kill. */
function eventsSince(log: readonly DurableEnvelope[], killedAtMs: number): string[] {
  return log
    .filter(({ at, type }) => at >= killedAtMs && /^(turn|sandbox|stage|agent.session)/.test(type))
    .map(({ at, type, data }) => `+${at - killedAtMs} ms ${type} ${JSON.stringify(data)}`);
}

const newestSeq = (host: ShipHost): number => host.model.served().entries.at(-1)?.seq ?? 0;

async function untilMoment({ afterStep, delayMs }: Moment, entries: () => LedgerEntry[]) {
  if (afterStep !== undefined)
    await until(
      `step ${afterStep}`,
      () =>
        entries().some(({ kind, step }) => kind === 'turn' && step >= afterStep) ? true : undefined,
      STEP_MS,
    );
  await sleep(delayMs);
}

function stateFaults(state: SessionState | undefined, log: readonly DurableEnvelope[]): string[] {
  const folded = evolveAll(undefined, log);
  if (state === undefined) {
    const { activity, sandbox } = folded ?? {};
    return [`it hangs: ${JSON.stringify({ activity, sandbox })}`];
  }
  const faults: string[] = [];
  if (state.activity.status !== 'idle') faults.push(`it ended ${JSON.stringify(state.activity)}`);
  if (summarize(state, 0).needsYou !== null) faults.push('it needs a person');
  // Later events are only observations of the forge or the sandbox service.
  const same = evolveAll(
    undefined,
    log.filter(({ seq }) => seq <= state.seq),
  );
  if (!isDeepStrictEqual(same, state)) faults.push('its state is not the fold of its log');
  return faults;
}

async function deliveryFaults(
  host: ShipHost,
  repository: string,
  state: SessionState | undefined,
): Promise<string[]> {
  const branch = state?.git.branch ?? null;
  const pulls = await host.pullRequests(repository);
  const faults =
    pulls.length === 1 && pulls[0]?.head === branch && pulls[0]?.state === 'open'
      ? []
      : [`pull requests: ${JSON.stringify(pulls)}`];
  return [...faults, ...(await branchFaults(repository, branch, EXPECTED_FILES))];
}

async function readLog(host: ShipHost, sessionId: SessionId): Promise<DurableEnvelope[]> {
  const log: DurableEnvelope[] = [];
  for (;;) {
    const page = await host.client.history(sessionId, { after: log.at(-1)?.seq ?? 0, limit: 500 });
    if (page.events.length === 0) return log;
    log.push(...page.events);
  }
}

/** The total bill once it is stable; with an expected bill, once that is covered or the time is over. */
async function settledMicros(host: ShipHost, bill?: Bill, before = 0): Promise<number> {
  const deadlineMs = Date.now() + SETTLE_MS;
  for (let last = -1; ;) {
    const { month } = await host.spending();
    const micros = Math.round(month.costUsd * 1_000_000);
    const isCovered = bill === undefined || isBilledCorrectly(bill, micros - before);
    if ((micros === last && isCovered) || Date.now() > deadlineMs) return micros;
    last = micros;
    await sleep(300);
  }
}

function lineOf({ run, victim, moment, recoveryMs, totalMs, faults, ...rest }: AgentRun): string {
  const when = moment.afterStep === undefined ? 'at its start' : `in step ${moment.afterStep}`;
  const cost = `${rest.attempts} attempts, ${rest.repeatedSteps} steps again`;
  const verdict = faults.length === 0 ? '✓' : '✗';
  const line = `${verdict} ${run + 1} ${victim} killed ${when} +${moment.delayMs} ms: back after ${recoveryMs} ms, ended after ${totalMs} ms, ${cost}`;
  return [line, ...faults.map((fault) => `    ${fault}`)].join('\n');
}
