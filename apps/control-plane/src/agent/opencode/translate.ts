import type { Question, Todo } from '@ship/protocol';
import type { AgentSignal } from '../port.ts';
import { toFailure } from './failure.ts';
import { retryReason } from './retry-reason.ts';
import { toolSignal } from './translate-tool.ts';
import type {
  WireEvent,
  WireMessage,
  WirePart,
  WirePermission,
  WireQuestion,
  WireRetry,
  WireSession,
  WireTodos,
} from './wire.ts';
import type * as z from 'zod';

/** Converts one of OpenCode's events to signals; none when a session does not need it. */
export function fromEvent(event: WireEvent): AgentSignal[] {
  switch (event.type) {
    case 'session.created':
    case 'session.updated':
      return fromSession(event.properties.info);
    case 'message.updated':
      return [fromMessage(event.properties.info)];
    case 'message.part.updated':
      return fromPart(event.properties.part);
    case 'message.part.delta': {
      const { sessionID, partID, field, delta } = event.properties;
      // Reasoning and text both come as `text`; the consumer knows from the part which it is.
      return field === 'text'
        ? [{ kind: 'delta', sessionId: sessionID, partId: partID, delta }]
        : [];
    }
    case 'todo.updated': {
      const { sessionID, todos } = event.properties;
      return [{ kind: 'todos', sessionId: sessionID, todos: toTodos(todos) }];
    }
    case 'session.status': {
      const { sessionID: sessionId, status } = event.properties;
      if (status.type !== 'retry') return [{ kind: status.type, sessionId }];
      return [fromRetry(sessionId, status)];
    }
    case 'session.idle':
      return [{ kind: 'idle', sessionId: event.properties.sessionID }];
    case 'session.error': {
      const { sessionID: sessionId, error } = event.properties;
      return error === undefined ? [] : [{ kind: 'error', sessionId, failure: toFailure(error) }];
    }
    case 'question.asked':
      return [fromQuestion(event.properties)];
    case 'permission.asked':
      return [fromPermission(event.properties)];
    case 'question.replied':
    case 'question.rejected':
    case 'permission.replied': {
      const { sessionID, requestID } = event.properties;
      return [{ kind: 'ask-closed', sessionId: sessionID, requestId: requestID }];
    }
  }
}

export function fromRetry(sessionId: string, { attempt, next, message }: WireRetry): AgentSignal {
  const reason = retryReason(message);
  return { kind: 'retrying', sessionId, attempt, nextAttemptAt: next, reason };
}

export function fromSession({ id, parentID, title }: WireSession): AgentSignal[] {
  return parentID === undefined
    ? []
    : [{ kind: 'child', sessionId: id, parentId: parentID, title }];
}

export function fromMessage(message: WireMessage): AgentSignal {
  const { id: messageId, sessionID: sessionId, time } = message;
  const createdAt = time.created;
  if (message.role === 'user') return { kind: 'prompt', sessionId, messageId, createdAt };
  return {
    kind: 'answer',
    sessionId,
    messageId,
    createdAt,
    isDone: message.time.completed !== undefined,
    finish: message.finish ?? null,
    failure: message.error === undefined ? null : toFailure(message.error),
    isSummary: message.summary === true,
  };
}

export function fromPart(part: WirePart): AgentSignal[] {
  const { id: partId, sessionID: sessionId } = part;
  switch (part.type) {
    case 'text':
    case 'reasoning':
      // Synthetic texts are OpenCode's own messages to the model.
      if (part.synthetic === true) return [];
      return [
        {
          kind: 'text',
          sessionId,
          partId,
          messageId: part.messageID,
          channel: part.type,
          text: part.text,
          isDone: part.time?.end !== undefined,
        },
      ];
    case 'tool':
      return toolSignal(part);
    case 'step-finish': {
      const { input, output, reasoning, cache } = part.tokens;
      const tokens = { input, output, reasoning, cacheRead: cache.read, cacheWrite: cache.write };
      return [{ kind: 'step', sessionId, partId, reason: part.reason, tokens, costUsd: part.cost }];
    }
    case 'compaction':
      return [{ kind: 'compacted', sessionId, id: partId }];
  }
}

export function fromQuestion({ id, sessionID, tool, questions }: WireQuestion): AgentSignal {
  return {
    kind: 'question',
    sessionId: sessionID,
    requestId: id,
    callId: tool?.callID ?? null,
    questions: questions.map(({ question, header, options, multiple, custom }): Question => ({
      question,
      header,
      options,
      allowsSeveral: multiple === true,
      allowsOther: custom !== false,
    })),
  };
}

export function fromPermission(request: WirePermission): AgentSignal {
  const { id, sessionID, permission, patterns, tool } = request;
  const callId = tool?.callID ?? null;
  return {
    kind: 'permission',
    sessionId: sessionID,
    requestId: id,
    callId,
    permission,
    patterns,
  };
}

const STATUSES: Record<string, Todo['status']> = {
  in_progress: 'in-progress',
  completed: 'completed',
  cancelled: 'cancelled',
};
const PRIORITIES: Record<string, Todo['priority']> = { high: 'high', low: 'low' };

export function toTodos(todos: z.infer<typeof WireTodos>): Todo[] {
  return todos.map(({ content, status, priority }) => ({
    content,
    status: STATUSES[status] ?? 'pending',
    priority: PRIORITIES[priority] ?? 'medium',
  }));
}
