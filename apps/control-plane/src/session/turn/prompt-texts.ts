/** Texts that Ship adds to people's prompts. */

/** For a task that an earlier attempt has begun: with the original prompt, the agent would start over. */
export const CONTINUE =
  'You were interrupted by a technical problem. Look at what is done already, then continue with the task.';

export function withLostConversation(text: string): string {
  return `${text}\n\n(Your earlier conversation in this session was lost with its sandbox. The files are as they were last saved.)`;
}
