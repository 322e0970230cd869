/**
 * A conversation as `opencode export` writes it and `opencode import` reads it. It comes out of one sandbox and goes into the
 * next one of the same session: nothing that is not this session's conversation is stored or passed on.
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

/** The fields of a message and of its parts are OpenCode's own and stay as they are; whose they are must be true. */
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

/** Throws when what answers is not the conversation, or when it is too large to be kept. */
export async function exportOf(client: OpencodeClient, sessionId: string): Promise<string> {
  const { data: info } = await client.session.get({ sessionID: sessionId }, orThrow);
  const { data: messages } = await client.session.messages({ sessionID: sessionId }, orThrow);
  const parsed = conversationOf(sessionId).safeParse({ info, messages });
  if (!parsed.success)
    return fail(
      'not-understood',
      'The agent answered with something that is not its conversation.',
      'Nothing is to be done: the next turn starts the agent again.',
    );
  const text = JSON.stringify(parsed.data);
  if (text.length > MAX_HELD_BYTES)
    return fail(
      'limit-reached',
      'The conversation is too long to be kept for another sandbox.',
      'Continue in a new session; what is in the repository stays.',
    );
  return text;
}

const Named = z.object({ info: z.object({ id }) });

/** Whether a stored text is one: what was stored by an earlier version may be anything. */
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
