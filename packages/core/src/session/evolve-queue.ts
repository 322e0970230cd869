import type { DurableEvent, Prompt, SessionState } from '@ship/protocol';

type QueueEvent = Extract<DurableEvent, { type: `prompt.${string}` }>;

export function evolveQueue(state: SessionState, event: QueueEvent): SessionState {
  switch (event.type) {
    case 'prompt.queued':
      return {
        ...state,
        queue: [...state.queue, event.data],
        // A new prompt after a failure, a pause or a stop continues the session.
        activity: isHalted(state) ? { status: 'idle' } : state.activity,
      };
    case 'prompt.withdrawn': {
      const queue = without(state.queue, event.data.promptId);
      const isReleased = state.activity.status === 'held' && queue.length === 0;
      return { ...state, queue, activity: isReleased ? { status: 'idle' } : state.activity };
    }
    case 'prompt.edited': {
      const { promptId, text } = event.data;
      const edited = (prompt: Prompt) =>
        prompt.promptId === promptId ? { ...prompt, text } : prompt;
      return { ...state, queue: state.queue.map(edited) };
    }
    case 'prompt.moved':
      return { ...state, queue: moved(state.queue, event.data) };
  }
}

function isHalted({ activity }: SessionState): boolean {
  return ['failed', 'paused', 'held'].includes(activity.status);
}

export function without(queue: readonly Prompt[], promptId: string): Prompt[] {
  return queue.filter((prompt) => prompt.promptId !== promptId);
}

function moved(
  queue: Prompt[],
  { promptId, after }: { promptId: string; after: string | null },
): Prompt[] {
  const prompt = queue.find((each) => each.promptId === promptId);
  if (prompt === undefined) return queue;
  const rest = without(queue, promptId);
  const index = after === null ? 0 : rest.findIndex((each) => each.promptId === after) + 1;
  return [...rest.slice(0, index), prompt, ...rest.slice(index)];
}
