import { sessionEvent } from '@ship/core';
import type { Attachment } from '../../agent/port.ts';
import { Ingest } from '../ingest/ingest.ts';
import { IngestMemory } from '../ingest/memory.ts';
import { messageIdOf } from './message-id.ts';
import type { TurnDeps, TurnRequest } from './ports.ts';
import { CONTINUE, withLostConversation } from './words.ts';

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
  const { turnId, attempt, mode, isPriced } = request;
  const known = deps.state().agentSessionId;
  const standing = known === null ? 'absent' : await deps.agent.standing(known);
  const isKept = known !== null && standing !== 'absent';
  const agentSessionId = isKept ? known : await deps.agent.openSession(request.title);
  if (!isKept) {
    await deps.record([sessionEvent('agent.session-opened', { agentSessionId, origin: 'new' })]);
  }
  const messageId = messageIdOf(turnId, attempt);
  const before = deps.state().turn;
  if (before?.turnId !== turnId || before.attempt !== attempt) {
    // In a new conversation there is nothing to continue: the task has to be told again.
    const goesOn = request.continues || before?.turnId === turnId;
    const kind = isKept && goesOn ? 'continue' : 'prompt';
    const { maxSteps } = deps.limits;
    await deps.record([
      sessionEvent('agent.prompted', { turnId, attempt, messageId, mode, kind, maxSteps }),
    ]);
  }
  const memory = new IngestMemory(agentSessionId);
  let kind = 'prompt';
  for (const event of await deps.eventsOfTurn(turnId)) {
    memory.recall(event);
    if (event.type === 'agent.prompted' && event.data.attempt === attempt) kind = event.data.kind;
  }
  const isLost = known !== null && !isKept;
  const goesOn = kind === 'continue' && !isLost;
  return {
    agentSessionId,
    // What is sent is stored before: a turn that is not in the log was never told.
    isUntold: !isKept || (standing === 'idle' && before?.turnId !== turnId),
    messageId,
    text: textFor(request, isLost ? 'lost' : kind),
    attachments: goesOn ? [] : request.attachments,
    ingest: new Ingest(turnId, memory, isPriced),
  };
}

function textFor({ text }: TurnRequest, kind: string): string {
  if (kind === 'lost') return withLostConversation(text);
  return kind === 'continue' ? CONTINUE : text;
}
