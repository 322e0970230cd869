import {
  Attachment,
  AttachmentQuery,
  MAX_ATTACHED_IMAGE_BYTES,
  MAX_ATTACHED_TEXT_BYTES,
  SessionId,
  fail,
} from '@ship/protocol';
import * as z from 'zod';
import { mimeOf } from '../../artifacts/mime.ts';
import { sessionArtifact } from '../../session/artifact-key.ts';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';
import { readBytes } from '../input.ts';

export const attachmentRoutes = ({ session, artifacts }: ApiDeps) => [
  endpoint({
    method: 'post',
    path: '/sessions/{sessionId}/attachments',
    summary: 'Stores an image or a text to attach to a prompt; the body is the file',
    params: z.object({ sessionId: SessionId }),
    query: AttachmentQuery,
    response: Attachment,
    status: 201,
    async handle({ params: { sessionId }, query: { filename }, request }) {
      unwrap(await session(sessionId).view());
      const bytes = await readBytes(request, MAX_ATTACHED_IMAGE_BYTES);
      const mime = mimeOf(bytes) ?? notUsable();
      if (mime === 'text/plain' && bytes.byteLength > MAX_ATTACHED_TEXT_BYTES)
        fail(
          'too-large',
          `A text may have at most ${MAX_ATTACHED_TEXT_BYTES} bytes.`,
          'Attach the relevant part, or put the file into the repository.',
        );
      const name = `attachment-${crypto.randomUUID()}`;
      await artifacts.put(sessionArtifact(sessionId, name), bytes, mime);
      return { name, filename, mime, sizeBytes: bytes.byteLength };
    },
  }),
];

function notUsable(): never {
  return fail(
    'unsupported-media-type',
    'Only images (PNG, JPEG, GIF, WebP) and text can be attached.',
    'Convert the file, or put it into the repository.',
  );
}
