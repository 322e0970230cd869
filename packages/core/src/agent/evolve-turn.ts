import type { AgentTurn, DurableEvent, Subagent } from '@ship/protocol';
import { NOTHING_RECORDED } from './recording.ts';
import { MAX_REMEMBERED, NO_USAGE } from './state.ts';
import { addStep } from './usage.ts';

type TurnEvent = DurableEvent & {
  type:
    | 'text.finished'
    | 'tool.started'
    | 'tool.finished'
    | 'todos.changed'
    | 'step.finished'
    | 'subagent.started'
    | 'subagent.finished'
    | 'conversation.compacted'
    | 'provider.retrying';
};

/** A new attempt keeps counting the turn's steps: otherwise a turn that keeps failing would have no limit. */
export function beginTurn(
  turn: AgentTurn | null,
  { data, at, seq }: DurableEvent & { type: 'agent.prompted' },
): AgentTurn {
  const { turnId, promptId, attempt, messageId, mode, maxSteps } = data;
  const fresh = { turnId, promptId, attempt, messageId, mode, maxSteps, lastProgressAt: at };
  if (turn !== null && turn.turnId === turnId) {
    // The previous attempt's open questions are void, so the time limits run again.
    const awake = stopWaiting(turn, at);
    // An interrupted agent repeats the work that the interruption lost: that is not a loop.
    const forgotten = { runningTools: [], failures: [], recentCalls: [] };
    return { ...awake, ...fresh, ...forgotten, provider: null, isOver: false };
  }
  return {
    ...fresh,
    progressedAttempt: 0,
    sinceSeq: seq,
    promptedAt: at,
    waitedMs: 0,
    waitingSince: null,
    step: 0,
    isStepOpen: false,
    runningTools: [],
    subagents: [],
    failures: [],
    recentCalls: [],
    provider: null,
    usage: NO_USAGE,
    recorded: NOTHING_RECORDED,
    isOver: false,
  };
}

export function evolveTurn(turn: AgentTurn | null, event: TurnEvent): AgentTurn | null {
  if (turn === null || turn.turnId !== event.data.turnId) return turn;
  const { type, data, at } = event;
  // Any event shows that the provider answers again; its next refusal sets this again.
  const alive = { ...turn, lastProgressAt: at, provider: null };
  switch (type) {
    case 'provider.retrying': {
      const { attempt, nextAttemptAt } = data;
      return { ...turn, provider: { attempt, nextAttemptAt } };
    }
    case 'tool.started': {
      const { partId, tool, title } = data;
      const running = [...turn.runningTools, { partId, tool, title, startedAt: at }];
      return { ...alive, runningTools: running.slice(-MAX_REMEMBERED.runningTools) };
    }
    case 'tool.finished':
      return toolFinished(alive, data);
    case 'step.finished':
      return stepFinished(alive, data);
    case 'subagent.started': {
      const { subagentId, title } = data;
      const started = { subagentId, title, steps: 0, isRunning: true };
      return { ...alive, subagents: forgetOldest([...turn.subagents, started]) };
    }
    case 'subagent.finished':
      return {
        ...alive,
        subagents: turn.subagents.map((subagent) =>
          subagent.subagentId === data.subagentId ? { ...subagent, isRunning: false } : subagent,
        ),
      };
    default:
      return alive;
  }
}

export function startWaiting(turn: AgentTurn, atMs: number): AgentTurn {
  return turn.waitingSince === null ? { ...turn, waitingSince: atMs } : turn;
}

/** The agent could not make progress while it waited, so the no-progress clock restarts now. */
export function stopWaiting(turn: AgentTurn, atMs: number): AgentTurn {
  if (turn.waitingSince === null) return turn;
  const waitedMs = turn.waitedMs + Math.max(0, atMs - turn.waitingSince);
  // A tool that asked was waiting, not running.
  const runningTools = turn.runningTools.map((tool) => ({ ...tool, startedAt: atMs }));
  return { ...turn, waitedMs, waitingSince: null, lastProgressAt: atMs, runningTools };
}

function toolFinished(
  turn: AgentTurn,
  data: (DurableEvent & { type: 'tool.finished' })['data'],
): AgentTurn {
  const { partId, tool, status, callHash, resultHash } = data;
  const others = turn.failures.filter((failing) => failing.tool !== tool);
  const before = turn.failures.find((failing) => failing.tool === tool)?.times ?? 0;
  const failures =
    status === 'failed'
      ? [...others, { tool, times: before + 1 }].slice(-MAX_REMEMBERED.failingTools)
      : status === 'completed'
        ? others
        : turn.failures;
  const call = { tool, hash: `${callHash}:${resultHash}` };
  return {
    ...turn,
    failures,
    runningTools: turn.runningTools.filter((running) => running.partId !== partId),
    recentCalls: [...turn.recentCalls, call].slice(-MAX_REMEMBERED.recentCalls),
  };
}

function stepFinished(
  turn: AgentTurn,
  data: (DurableEvent & { type: 'step.finished' })['data'],
): AgentTurn {
  const usage = addStep(turn.usage, data);
  const { subagentId } = data;
  if (subagentId === null) {
    const isStepOpen = data.reason === 'tool-calls';
    return { ...turn, usage, step: turn.step + 1, isStepOpen, progressedAttempt: turn.attempt };
  }
  const subagents = turn.subagents.map((subagent) =>
    subagent.subagentId === subagentId ? { ...subagent, steps: subagent.steps + 1 } : subagent,
  );
  return { ...turn, usage, subagents };
}

/** Drops ended sub-agents first: a running one must stay in the state. */
function forgetOldest(subagents: Subagent[]): Subagent[] {
  if (subagents.length <= MAX_REMEMBERED.subagents) return subagents;
  const ended = subagents.findIndex(({ isRunning }) => !isRunning);
  return subagents.toSpliced(Math.max(0, ended), 1);
}
