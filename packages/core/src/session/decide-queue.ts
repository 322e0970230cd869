import type { Prompt, PromptId, SessionCommand, SessionState } from '@ship/protocol';
import { type Decision, accept, reject } from './decision.ts';
import { sessionEvent } from './event.ts';
import { MAX_QUEUED_PROMPTS } from './state.ts';

type QueueCommand = Extract<SessionCommand, { type: `prompt.${string}` }>;

export function decideQueue(state: SessionState, command: QueueCommand): Decision {
  switch (command.type) {
    case 'prompt.enqueue':
      return enqueue(state, command.prompt);
    case 'prompt.withdraw':
      return isWaiting(state, command.promptId)
        ? accept(sessionEvent('prompt.withdrawn', { promptId: command.promptId }))
        : notWaiting();
    case 'prompt.edit':
      return edit(state, command.promptId, command.text);
    case 'prompt.move':
      return move(state, command);
  }
}

function enqueue(state: SessionState, prompt: Prompt): Decision {
  // Two prompts with one id would leave the queue together, and the second would never be processed.
  if (prompt.promptId === state.current?.promptId || isWaiting(state, prompt.promptId)) {
    return reject(
      'prompt-exists',
      'A prompt with this id was sent before.',
      'Use a new prompt id.',
    );
  }
  if (state.queue.length >= MAX_QUEUED_PROMPTS) {
    return reject(
      'queue-full',
      `${MAX_QUEUED_PROMPTS} prompts are waiting already.`,
      'Withdraw one or wait until the agent has processed some.',
    );
  }
  // A new prompt also retries a failed sandbox.
  const retried =
    state.sandbox.status === 'failed' ? [sessionEvent('sandbox.requested', { attempt: 1 })] : [];
  return accept(sessionEvent('prompt.queued', prompt), ...retried);
}

function edit(state: SessionState, promptId: PromptId, text: string): Decision {
  const prompt = state.queue.find((waiting) => waiting.promptId === promptId);
  if (prompt === undefined) return notWaiting();
  return prompt.text === text
    ? accept()
    : accept(sessionEvent('prompt.edited', { promptId, text }));
}

function move(
  state: SessionState,
  { promptId, after, text }: QueueCommand & { type: 'prompt.move' },
): Decision {
  if (!isWaiting(state, promptId)) return notWaiting();
  if (after !== null && (after === promptId || !isWaiting(state, after))) return notWaiting();
  const edited = text === null ? [] : [sessionEvent('prompt.edited', { promptId, text })];
  return accept(...edited, sessionEvent('prompt.moved', { promptId, after }));
}

function isWaiting({ queue }: SessionState, promptId: PromptId): boolean {
  return queue.some((prompt) => prompt.promptId === promptId);
}

function notWaiting(): Decision {
  return reject(
    'prompt-not-queued',
    'That prompt is not in the queue.',
    'It may have started already: stop the turn instead.',
  );
}
