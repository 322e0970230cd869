/**
 * A conversation in the format of `opencode export` and `opencode import`. It leaves one sandbox and enters the next one of the
 * same session: only this session's conversation is stored and passed on.
 */
import type { OpencodeClient } from '@opencode-ai/sdk/v2/client';
import { fail } from '@ship/protocol';
import * as z from 'zod';
import { MAX_HELD_BYTES } from '../../sandbox/client.ts';

const MAX_MESSAGES = 20_000;
const MAX_PARTS = 5_000;

const id = z.string().regex(/^[\w-]{1,200}$/);
const kind = z.string().min(1).max(100);
const orThrow = { throwOnError: true } as const;

/** The fields of a message and of its parts are OpenCode's own and stay as they are; their ids must match. */
const conversationOf = (sessionId: string) =>
  z.object({
    info: z.looseObject({ id: z.literal(sessionId) }),
    messages: z
      .array(
        z
          .object({
            info: z.looseObject({
              id,
              sessionID: z.literal(sessionId),
              role: z.enum(['user', 'assistant']),
            }),
            parts: z
              .array(
                z.looseObject({ id, type: kind, sessionID: z.literal(sessionId), messageID: id }),
              )
              .max(MAX_PARTS),
          })
          .refine(({ info, parts }) => parts.every(({ messageID }) => messageID === info.id)),
      )
      .max(MAX_MESSAGES),
  });

/** Throws when the answer is not the conversation, or when it is too large to store. */
export async function exportOf(client: OpencodeClient, sessionId: string): Promise<string> {
  const { data: info } = await client.session.get({ sessionID: sessionId }, orThrow);
  const { data: messages } = await client.session.messages({ sessionID: sessionId }, orThrow);
  const parsed = conversationOf(sessionId).safeParse({ info, messages });
  if (!parsed.success)
    return fail(
      'not-understood',
      'The agent answered with something that is not its conversation.',
      'No action needed: the next turn starts the agent again.',
    );
  const text = JSON.stringify(parsed.data);
  if (text.length > MAX_HELD_BYTES)
    return fail(
      'limit-reached',
      'The conversation is too long to be saved for another sandbox.',
      'Continue in a new session; the work in the repository is kept.',
    );
  return text;
}

const Named = z.object({ info: z.object({ id }) });

/** Whether a stored text is a conversation: an earlier version may have stored anything. */
export function isConversation(text: string): boolean {
  if (text.length > MAX_HELD_BYTES) return false;
  try {
    const value: unknown = JSON.parse(text);
    const named = Named.safeParse(value);
    return named.success && conversationOf(named.data.info.id).safeParse(value).success;
  } catch {
    return false;
  }
}
