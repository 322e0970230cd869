import type { Prompt } from '@ship/protocol';

/** The prompt to put it behind for a move by one step: null for the front, undefined if it cannot move. */
export function placeAfterMove(
  queue: readonly Pick<Prompt, 'promptId'>[],
  index: number,
  step: -1 | 1,
): Prompt['promptId'] | null | undefined {
  if (step === -1) return index === 0 ? undefined : (queue[index - 2]?.promptId ?? null);
  return queue[index + 1]?.promptId;
}
