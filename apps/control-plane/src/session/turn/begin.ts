import { sessionEvent } from '@ship/core';
import type { AgentTurn } from '@ship/protocol';
import type { Agent, Attachment } from '../../agent/port.ts';
import { Ingest } from '../ingest/ingest.ts';
import { IngestMemory } from '../ingest/memory.ts';
import { messageIdOf, messagePrefix } from './message-id.ts';
import type { TurnDeps, TurnRequest } from './ports.ts';
import { CONTINUE, withLostConversation } from './prompt-texts.ts';

const RECALLED_AT_ONCE = 500;

export interface Beginning {
  agentSessionId: string;
  /** The agent is idle and was told nothing of this turn by anybody: there is nothing to be asked of it first. */
  isUntold: boolean;
  messageId: string;
  /** What the agent is told. */
  text: string;
  /** None when the agent goes on: it has seen them. */
  attachments: readonly Attachment[];
  ingest: Ingest;
}

/** Finds or makes the conversation, and stores what is about to be sent before it is. */
export async function beginTurn(deps: TurnDeps, request: TurnRequest): Promise<Beginning> {
  const { turnId, promptId, attempt, mode, isPriced } = request;
  const known = deps.state().agentSessionId;
  const conversationStatus = known === null ? 'absent' : await deps.agent.conversationStatus(known);
  const isKept = known !== null && conversationStatus !== 'absent';
  const agentSessionId = isKept ? known : await deps.agent.openSession(request.title);
  if (!isKept) {
    await deps.record([sessionEvent('agent.session-opened', { agentSessionId, origin: 'new' })]);
  }
  const messageId = messageIdOf(turnId, attempt);
  const before = deps.state().turn;
  const isBegun = before?.turnId === turnId && before.attempt === attempt;
  const remembers = () => isKept && remembersTask(deps.agent, agentSessionId, request, before);
  if (!isBegun) {
    // In a conversation without the task there is nothing to continue: it has to be told again.
    const kind = (await remembers()) ? 'continue' : 'prompt';
    const { maxSteps } = deps.limits;
    const told = { turnId, promptId, attempt, messageId, mode, kind, maxSteps } as const;
    await deps.record([sessionEvent('agent.prompted', told)]);
  }
  const memory = new IngestMemory(agentSessionId);
  let kind = 'prompt';
  let recalled = 0;
  for (const event of deps.eventsOfTurn(turnId)) {
    recalled += 1;
    // A long turn takes a while to read: others get their turn in between.
    if (recalled % RECALLED_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    memory.recall(event);
    if (event.type === 'agent.prompted' && event.data.attempt === attempt) kind = event.data.kind;
  }
  const isLost = known !== null && !isKept;
  // After a crash of ours the sandbox may be another one, and its agent remember less.
  const goesOn = kind === 'continue' && (!isBegun || (await remembers()));
  return {
    agentSessionId,
    // What is sent is stored before: a turn that is not in the log was never told.
    isUntold: !isKept || (conversationStatus === 'idle' && before?.turnId !== turnId),
    messageId,
    text: textFor(request, isLost, goesOn),
    attachments: goesOn ? [] : request.attachments,
    ingest: new Ingest(turnId, memory, isPriced),
  };
}

/**
 * The agent may have been killed before its prompt reached it, or have got a conversation back that is older than the
 * task: told to continue, it would continue with nothing, or with another task.
 */
async function remembersTask(
  agent: Agent,
  agentSessionId: string,
  { turnId, promptId }: TurnRequest,
  before: AgentTurn | null,
): Promise<boolean> {
  if (before === null || (before.turnId !== turnId && before.promptId !== promptId)) return false;
  const { signals } = await agent.snapshot(agentSessionId, messagePrefix(before.turnId));
  return signals.some(({ kind, sessionId }) => kind === 'prompt' && sessionId === agentSessionId);
}

function textFor({ text }: TurnRequest, isLost: boolean, goesOn: boolean): string {
  if (isLost) return withLostConversation(text);
  return goesOn ? CONTINUE : text;
}
