import { ATTACHED_IMAGE_TYPES, ArtifactName, SessionId, fail } from '@ship/protocol';
import * as z from 'zod';
import { sessionArtifact } from '../../session/artifact-key.ts';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ sessionId: SessionId, name: ArtifactName });

export const artifactRoutes = ({ session, artifacts }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/sessions/{sessionId}/artifacts/{name}',
    summary: 'A large output that the event log links to',
    params,
    response: null,
    status: 200,
    async handle({ params: { sessionId, name } }) {
      unwrap(await session(sessionId).view());
      const found = await artifacts.get(sessionArtifact(sessionId, name));
      if (found === undefined)
        return fail(
          'not-found',
          'There is no such artifact.',
          'Read the session again: its log names the existing artifacts.',
        );
      return new Response(found.body, {
        headers: {
          // Sandbox content on our own origin: must never run, and its type must never be sniffed.
          'content-type': typeOf(found.contentType),
          'content-length': String(found.size),
          'content-security-policy': "sandbox; default-src 'none'",
          'x-content-type-options': 'nosniff',
          'content-disposition': typeOf(found.contentType) === BINARY ? 'attachment' : 'inline',
          'cache-control': 'private, max-age=31536000, immutable',
        },
      });
    },
  }),
];

const BINARY = 'application/octet-stream';

/** Keeps image types that cannot contain scripts, and text; everything else is a download. */
function typeOf(contentType: string): string {
  if (isText(contentType)) return 'text/plain; charset=utf-8';
  return ATTACHED_IMAGE_TYPES.find((type) => type === contentType) ?? BINARY;
}

function isText(contentType: string): boolean {
  return contentType.startsWith('text/') || contentType.startsWith('application/json');
}
