import * as z from 'zod';
import { line } from './http/text.ts';

/** Limits for one prompt. Larger files belong in the repository. */
export const MAX_ATTACHMENTS = 8;
export const MAX_ATTACHED_IMAGE_BYTES = 4_000_000;
export const MAX_ATTACHED_TEXT_BYTES = 200_000;

export const ATTACHED_IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** `POST /api/sessions/:sessionId/attachments?filename=`: the body is the file. */
export const AttachmentQuery = z.strictObject({ filename: line(200) });
export type AttachmentQuery = z.infer<typeof AttachmentQuery>;

/** A file that was stored for a prompt. Its type is detected from its bytes, not from its name. */
export const Attachment = z.object({
  /** The name of the session's artifact. */
  name: z.string().regex(/^attachment-[0-9a-f-]{36}$/, 'must be the name of an attachment'),
  filename: line(200),
  mime: z.enum([...ATTACHED_IMAGE_TYPES, 'text/plain']),
  sizeBytes: z.int().nonnegative(),
});
export type Attachment = z.infer<typeof Attachment>;

/** A prompt's reference to an attachment; the server looks up the rest. */
export const AttachmentRef = Attachment.pick({ name: true, filename: true });
export type AttachmentRef = z.infer<typeof AttachmentRef>;
