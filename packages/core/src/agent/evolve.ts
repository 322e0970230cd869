import type { AgentState, DurableEvent } from '@ship/protocol';
import { closeAsk, evolveAsks } from './evolve-asks.ts';
import { beginTurn, evolveTurn } from './evolve-turn.ts';
import { addRecorded, recordedWeight } from './recording.ts';
import { addCall, addStep } from './usage.ts';

/** Folds one event into the agent's state; other events leave it unchanged. */
export function evolveAgent(agent: AgentState, event: DurableEvent): AgentState {
  const next = apply(agent, event);
  return next === agent ? agent : { ...counted(next, event), lastActivityAt: event.at };
}

/** Counted from the log, like every limit on the agent: a restart does not reset it. */
function counted(agent: AgentState, event: DurableEvent): AgentState {
  const weight = recordedWeight(event);
  if (weight === null) return agent;
  const { turn } = agent;
  return {
    ...agent,
    recorded: addRecorded(agent.recorded, weight),
    turn: turn === null ? null : { ...turn, recorded: addRecorded(turn.recorded, weight) },
  };
}

function apply(agent: AgentState, event: DurableEvent): AgentState {
  switch (event.type) {
    case 'agent.session-opened':
      return { ...agent, agentSessionId: event.data.agentSessionId };
    case 'agent.mode-changed':
      return { ...agent, mode: event.data.mode };
    case 'agent.prompted':
      // The next prompt replaces a plan that is still undecided.
      return { ...agent, plan: null, pause: null, turn: beginTurn(agent.turn, event) };
    case 'todos.changed':
      return { ...agent, todos: event.data.todos, turn: evolveTurn(agent.turn, event) };
    case 'session.named':
      return { ...agent, usage: addCall(agent.usage, event.data) };
    case 'step.finished':
      return {
        ...agent,
        usage: addStep(agent.usage, event.data),
        turn: evolveTurn(agent.turn, event),
      };
    case 'question.asked':
    case 'permission.asked':
    case 'question.answered':
    case 'permission.answered':
    case 'ask.closed':
      return evolveAsks(agent, event);
    case 'plan.proposed': {
      const { planId, text } = event.data;
      return { ...agent, plan: { planId, text, proposedAt: event.at } };
    }
    case 'plan.decided':
      return agent.plan?.planId === event.data.planId ? { ...agent, plan: null } : agent;
    case 'turn.finished':
      return turnFinished(agent, event);
    case 'turn.retry-scheduled':
      return { ...agent, ...closeAsk(agent, undefined) };
    case 'text.finished':
    case 'tool.started':
    case 'tool.finished':
    case 'subagent.started':
    case 'subagent.finished':
    case 'conversation.compacted':
    case 'provider.retrying':
      return { ...agent, turn: evolveTurn(agent.turn, event) };
    default:
      return agent;
  }
}

/** Closes all open questions: after the turn no one can answer them. */
function turnFinished(
  agent: AgentState,
  { data }: DurableEvent & { type: 'turn.finished' },
): AgentState {
  const { outcome } = data;
  return {
    ...agent,
    ...closeAsk(agent, undefined),
    pause: outcome.kind === 'paused' ? outcome : null,
    turn:
      agent.turn === null
        ? null
        : {
            ...agent.turn,
            isOver: true,
            runningTools: [],
            provider: null,
            waitingSince: null,
            subagents: agent.turn.subagents.map((subagent) => ({ ...subagent, isRunning: false })),
          },
  };
}
