import { type Prompt, type SessionId, fail } from '@ship/protocol';
import type { Attachment } from '../../agent/port.ts';
import type { ArtifactStore } from '../../artifacts/index.ts';
import { sessionArtifact } from '../artifact-key.ts';

/** Small enough for the arguments of one call. */
const CHUNK_BYTES = 0x2000;

/** The files attached to prompts, in the agent's format. */
export async function readAttachments(
  artifacts: ArtifactStore,
  sessionId: SessionId,
  prompts: readonly Prompt[],
): Promise<Attachment[]> {
  const read: Attachment[] = [];
  // One after the other: together they may exceed the memory of an object.
  for (const { name, filename, mime } of prompts.flatMap((prompt) => prompt.attachments ?? [])) {
    const found = await artifacts.get(sessionArtifact(sessionId, name));
    if (found === undefined)
      return fail(
        'not-found',
        `The attached file ${filename} no longer exists.`,
        'Attach it again in a new prompt.',
      );
    const bytes = new Uint8Array(await new Response(found.body).arrayBuffer());
    read.push({ filename, mime, url: `data:${mime};base64,${base64(bytes)}` });
  }
  return read;
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  return btoa(text);
}
