import type { Prompt, PromptId, SessionState } from '@ship/protocol';

/** More failed starts than this say nothing new, and the text of all of them goes to the agent. */
const MAX_UNREACHED = 5;

/**
 * The prompts that the next turn has to carry. A turn that ends before the agent is prompted, as when the setup fails,
 * leaves a task that the agent never saw: a follow-up such as "try again" would mean nothing without it.
 */
export function unreachedBefore(
  { current, agent, unreached }: Pick<SessionState, 'current' | 'agent' | 'unreached'>,
  next: PromptId,
): Prompt[] {
  // Another turn for the same prompt, in a new sandbox too, has to carry the same.
  if (current === null || current.promptId === next) return unreached;
  // Logs of an earlier version do not say which prompt the agent was given.
  const isReached =
    agent.turn !== null && (agent.turn.promptId ?? current.promptId) === current.promptId;
  return isReached ? [] : [...unreached, current].slice(-MAX_UNREACHED);
}

/** The text of a prompt together with the earlier ones that did not reach the agent. */
export function withUnreached(text: string, unreached: readonly Prompt[]): string {
  if (unreached.length === 0) return text;
  const earlier = unreached.map((prompt) => prompt.text);
  return [
    'An earlier attempt at this task ended before you were started. The task was:',
    ...earlier,
    'The newest message is below. Where it contradicts the task, the newest message counts.',
    text,
  ].join('\n\n');
}
