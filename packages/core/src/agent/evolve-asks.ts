import type { AgentState, DurableEvent } from '@ship/protocol';
import { startWaiting, stopWaiting } from './evolve-turn.ts';
import { MAX_REMEMBERED } from './state.ts';

type AskEvent = DurableEvent & {
  type:
    | 'question.asked'
    | 'question.answered'
    | 'permission.asked'
    | 'permission.answered'
    | 'ask.closed';
};

/** Folds the questions and permission requests that the agent waits for. The time limits pause while one is open. */
export function evolveAsks(agent: AgentState, event: AskEvent): AgentState {
  const next = { ...agent, ...asksAfter(agent, event) };
  const isWaiting = [...next.questions, ...next.permissions].some(({ answer }) => answer === null);
  const turn =
    next.turn === null
      ? null
      : isWaiting
        ? startWaiting(next.turn, event.at)
        : stopWaiting(next.turn, event.at);
  return { ...next, turn };
}

type Asks = Pick<AgentState, 'questions' | 'permissions'>;

function asksAfter(agent: AgentState, event: AskEvent): Partial<Asks> {
  switch (event.type) {
    case 'question.asked': {
      const { requestId, questions } = event.data;
      const asked = { requestId, questions, askedAt: event.at, answer: null };
      return { questions: [...agent.questions, asked].slice(-MAX_REMEMBERED.asks) };
    }
    case 'permission.asked': {
      const { requestId, permission, patterns } = event.data;
      const asked = { requestId, permission, patterns, askedAt: event.at, answer: null };
      return { permissions: [...agent.permissions, asked].slice(-MAX_REMEMBERED.asks) };
    }
    case 'question.answered': {
      const { requestId, answers } = event.data;
      return {
        questions: agent.questions.map((ask) =>
          ask.requestId === requestId ? { ...ask, answer: { answers } } : ask,
        ),
      };
    }
    case 'permission.answered': {
      const { requestId, reply, message } = event.data;
      return {
        permissions: agent.permissions.map((ask) =>
          ask.requestId === requestId ? { ...ask, answer: { reply, message } } : ask,
        ),
      };
    }
    case 'ask.closed':
      return closeAsk(agent, event.data.requestId);
  }
}

/** Without an id, closes all of them. */
export function closeAsk({ questions, permissions }: Asks, requestId: string | undefined): Asks {
  const stays = (ask: { requestId: string }) =>
    requestId !== undefined && ask.requestId !== requestId;
  return { questions: questions.filter(stays), permissions: permissions.filter(stays) };
}
