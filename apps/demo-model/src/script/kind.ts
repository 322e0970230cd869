/** Distinguishes an agent's side requests (title, compaction) from its turns. */
import type { Conversation } from '../conversation.ts';
import type { RequestKind } from './script.ts';

const TITLE = /\btitle generator\b|\bgenerate a (short |brief |concise )?title\b/i;
const COMPACTION =
  /\bcontext summarization agent\b|\banchored summary\b|\bsummari[sz]ing conversations\b/i;

/** Side requests have no tools; a user's prompt about titles does have tools. */
export function kindOf(conversation: Conversation): RequestKind {
  if (conversation.tools.length > 0) return 'turn';
  const firstUser = conversation.messages.find((message) => message.role === 'user')?.text ?? '';
  const lastUser = conversation.messages.findLast((message) => message.role === 'user')?.text ?? '';
  const texts = `${conversation.system}\n${firstUser}`;
  if (TITLE.test(texts)) return 'title';
  return COMPACTION.test(`${texts}\n${lastUser}`) ? 'compaction' : 'turn';
}
