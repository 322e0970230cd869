import type { Prompt } from '@ship/protocol';

/** The prompt that it will be behind after one step up or down; null for the front, undefined at the end. */
export function placeAfterMove(
  queue: readonly Pick<Prompt, 'promptId'>[],
  index: number,
  step: -1 | 1,
): Prompt['promptId'] | null | undefined {
  if (step === -1) return index === 0 ? undefined : (queue[index - 2]?.promptId ?? null);
  return queue[index + 1]?.promptId;
}
