/** What the agent is told beside the person's own words. */

/** An attempt before this one had begun the work: told the task again, the agent would begin anew. */
export const CONTINUE =
  'You were interrupted by a technical problem. Look at what is done already, then continue with the task.';

export function withLostConversation(text: string): string {
  return `${text}\n\n(Your earlier conversation in this session was lost with its sandbox. The files are as they were last saved.)`;
}
