import { knownEvent } from '@ship/protocol';
import type { DurableEnvelope, Prompt } from '@ship/protocol';

/** All prompts in the loaded part of the log, with their latest text. */
export function promptsOf(events: readonly DurableEnvelope[]): ReadonlyMap<string, Prompt> {
  const prompts = new Map<string, Prompt>();
  for (const envelope of events) {
    if (!envelope.type.startsWith('prompt.')) continue;
    const event = knownEvent(envelope);
    if (event?.type === 'prompt.queued') prompts.set(event.data.promptId, event.data);
    if (event?.type === 'prompt.edited') {
      const before = prompts.get(event.data.promptId);
      if (before !== undefined) prompts.set(before.promptId, { ...before, text: event.data.text });
    }
  }
  return prompts;
}
