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
    summary: 'A large output that the log only links to',
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
          'Read the session again: its log names what there is.',
        );
      return new Response(found.body, {
        headers: {
          // Made in a sandbox, shown on our own origin: never run, never guessed at.
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

/** Pictures that cannot hold a script are shown as what they are; of the rest, only text is. */
function typeOf(contentType: string): string {
  if (isText(contentType)) return 'text/plain; charset=utf-8';
  return ATTACHED_IMAGE_TYPES.find((type) => type === contentType) ?? BINARY;
}

function isText(contentType: string): boolean {
  return contentType.startsWith('text/') || contentType.startsWith('application/json');
}
