import type { Prompt, PromptId, SessionState } from '@ship/protocol';

/** Limits the text that the agent gets after many failed starts. */
const MAX_UNREACHED = 5;

/**
 * The prompts that the next turn must include. A turn that ends before the agent is prompted, as when the setup fails, leaves a
 * task that the agent never saw: a follow-up such as "try again" would mean nothing without it.
 */
export function unreachedPrompts(
  { current, agent, unreached }: Pick<SessionState, 'current' | 'agent' | 'unreached'>,
  next: PromptId,
): Prompt[] {
  // Another turn for the same prompt, also in a new sandbox, must include the same prompts.
  if (current === null || current.promptId === next) return unreached;
  // Logs of earlier versions do not record which prompt the agent got.
  const isReached =
    agent.turn !== null && (agent.turn.promptId ?? current.promptId) === current.promptId;
  return isReached ? [] : [...unreached, current].slice(-MAX_UNREACHED);
}

/** Combines a prompt with the earlier ones that did not reach the agent. */
export function withUnreachedPrompts(text: string, unreached: readonly Prompt[]): string {
  if (unreached.length === 0) return text;
  const earlier = unreached.map((prompt) => prompt.text);
  return [
    'An earlier attempt at this task ended before you were started. The task was:',
    ...earlier,
    'The newest message is below. Where it contradicts the task, the newest message counts.',
    text,
  ].join('\n\n');
}
