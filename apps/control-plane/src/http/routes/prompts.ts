import {
  Attachment,
  type AttachmentRef,
  PromptCreate,
  PromptEdit,
  PromptId,
  PromptReceipt,
  RequestQuery,
  SessionId,
  type UserCommand,
  createId,
  fail,
} from '@ship/protocol';
import * as z from 'zod';
import { sessionArtifact } from '../../session/artifact-key.ts';
import type { ApiDeps } from '../api.ts';
import { nameOf } from '../auth/caller.ts';
import { sendCommand } from '../command.ts';
import { endpoint } from '../endpoint.ts';

const list = '/sessions/{sessionId}/prompts';
const one = `${list}/{promptId}`;
const params = z.object({ sessionId: SessionId });
const promptParams = z.object({ sessionId: SessionId, promptId: PromptId });

export const promptRoutes = ({ session, artifacts }: ApiDeps) => [
  endpoint({
    method: 'post',
    path: list,
    summary: 'Queues a prompt; the agent works on one at a time',
    params,
    body: PromptCreate,
    response: PromptReceipt,
    status: 201,
    async handle({ params: { sessionId }, body, request, caller }) {
      const { requestId, text } = body;
      const attachments = await lookUp(artifacts, sessionId, body.attachments);
      const prompt = {
        promptId: createId('prm'),
        text,
        author: nameOf(caller),
        ...(attachments.length > 0 && { attachments }),
      };
      const input = { request, requestId, body };
      const receipt = await sendCommand(session(sessionId), input, {
        type: 'prompt.enqueue',
        prompt,
      });
      // A retry gets the id of the first request.
      return { sessionId, promptId: receipt.promptId ?? prompt.promptId, seq: receipt.seq };
    },
  }),
  endpoint({
    method: 'patch',
    path: one,
    summary: 'Changes the text or the position of a queued prompt',
    params: promptParams,
    body: PromptEdit,
    response: PromptReceipt,
    async handle({ params: { sessionId, promptId }, body, request }) {
      const { requestId, text, after } = body;
      const command: UserCommand =
        after === undefined
          ? { type: 'prompt.edit', promptId, text: text ?? '' }
          : { type: 'prompt.move', promptId, after, text: text ?? null };
      const { seq } = await sendCommand(session(sessionId), { request, requestId, body }, command);
      return { sessionId, promptId, seq };
    },
  }),
  endpoint({
    method: 'delete',
    path: one,
    summary: 'Withdraws a queued prompt',
    params: promptParams,
    query: RequestQuery,
    response: PromptReceipt,
    async handle({ params: { sessionId, promptId }, query: { requestId }, request }) {
      const command = { type: 'prompt.withdraw', promptId } as const;
      const { seq } = await sendCommand(
        session(sessionId),
        { request, requestId, body: null },
        command,
      );
      return { sessionId, promptId, seq };
    },
  }),
];

/** Only the file name comes from the sender; type and size come from the stored artifact. */
async function lookUp(
  artifacts: ApiDeps['artifacts'],
  sessionId: SessionId,
  refs: readonly AttachmentRef[],
): Promise<Attachment[]> {
  return Promise.all(
    refs.map(async (ref) => {
      const found = await artifacts.get(sessionArtifact(sessionId, ref.name));
      // Drain the body: workerd logs an unread one as a broken connection.
      await found?.body.pipeTo(new WritableStream());
      const known = Attachment.safeParse({
        ...ref,
        mime: found?.contentType,
        sizeBytes: found?.size,
      });
      return known.success
        ? known.data
        : fail('not-found', `The file ${ref.filename} was not found.`, 'Attach it again.');
    }),
  );
}
