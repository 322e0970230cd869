/** Tells an agent's side requests (a title, a summary) from its turns. */
import type { Conversation } from '../conversation.ts';
import type { RequestKind } from './script.ts';

const TITLE = /\btitle generator\b|\bgenerate a (short |brief |concise )?title\b/i;
const COMPACTION =
  /\bcontext summarization agent\b|\banchored summary\b|\bsummari[sz]ing conversations\b/i;

/** Both come without tools; a person's prompt that merely speaks of titles comes with them. */
export function kindOf(conversation: Conversation): RequestKind {
  if (conversation.tools.length > 0) return 'turn';
  const firstUser = conversation.messages.find((message) => message.role === 'user')?.text ?? '';
  const lastUser = conversation.messages.findLast((message) => message.role === 'user')?.text ?? '';
  const words = `${conversation.system}\n${firstUser}`;
  if (TITLE.test(words)) return 'title';
  return COMPACTION.test(`${words}\n${lastUser}`) ? 'compaction' : 'turn';
}
