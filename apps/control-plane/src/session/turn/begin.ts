import { sessionEvent } from '@ship/core';
import type { AgentTurn } from '@ship/protocol';
import type { Agent, Attachment } from '../../agent/port.ts';
import { Ingest } from '../ingest/ingest.ts';
import { IngestMemory } from '../ingest/memory.ts';
import { messageIdOf, messagePrefix } from './message-id.ts';
import type { TurnDeps, TurnRequest } from './ports.ts';
import { CONTINUE, withLostConversation } from './prompt-texts.ts';

const RECALL_BATCH = 500;

export interface TurnStart {
  agentSessionId: string;
  /** The agent is idle and never received this turn: no need to ask it first. */
  isUnsent: boolean;
  messageId: string;
  /** The prompt for the agent. */
  text: string;
  /** Empty when the agent continues: it has received them. */
  attachments: readonly Attachment[];
  ingest: Ingest;
}

/** Finds or opens the conversation, and stores what is about to be sent before it is sent. */
export async function beginTurn(deps: TurnDeps, request: TurnRequest): Promise<TurnStart> {
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
    // In a conversation without the task there is nothing to continue: the whole prompt is sent again.
    const kind = (await remembers()) ? 'continue' : 'prompt';
    const { maxSteps } = deps.limits;
    const prompted = { turnId, promptId, attempt, messageId, mode, kind, maxSteps } as const;
    await deps.record([sessionEvent('agent.prompted', prompted)]);
  }
  const memory = new IngestMemory(agentSessionId);
  let kind = 'prompt';
  let recalled = 0;
  for (const event of deps.eventsOfTurn(turnId)) {
    recalled += 1;
    // A long turn takes a while to read: yields to other requests in between.
    if (recalled % RECALL_BATCH === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    memory.recall(event);
    if (event.type === 'agent.prompted' && event.data.attempt === attempt) kind = event.data.kind;
  }
  const isLost = known !== null && !isKept;
  // After a crash the sandbox may be another one, and its agent may remember less.
  const continues = kind === 'continue' && (!isBegun || (await remembers()));
  return {
    agentSessionId,
    // The log has every sent prompt: a turn that is not in it never reached the agent.
    isUnsent: !isKept || (conversationStatus === 'idle' && before?.turnId !== turnId),
    messageId,
    text: textFor(request, isLost, continues),
    attachments: continues ? [] : request.attachments,
    ingest: new Ingest(turnId, memory, isPriced),
  };
}

/**
 * The agent may have been killed before its prompt arrived, or have restored a conversation that is older than the task: told
 * to continue, it would continue with nothing, or with another task.
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

function textFor({ text }: TurnRequest, isLost: boolean, continues: boolean): string {
  if (isLost) return withLostConversation(text);
  return continues ? CONTINUE : text;
}
