import { FileQuery, FolderListing, FolderQuery, SessionId } from '@ship/protocol';
import * as z from 'zod';
import { isText } from '../../artifacts/mime.ts';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ sessionId: SessionId });
const path = '/sessions/{sessionId}/files';

export const fileRoutes = ({ session }: ApiDeps) => [
  endpoint({
    method: 'get',
    path,
    summary: 'A folder of the repository: from the sandbox while it runs, else as pushed',
    params,
    query: FolderQuery,
    response: FolderListing,
    handle: async ({ params: { sessionId }, query }) =>
      unwrap(await session(sessionId).listFolder(query.path)),
  }),
  endpoint({
    method: 'get',
    path: `${path}/content`,
    summary: 'One file of the repository, up to 1 MB; the header ship-source names its source',
    params,
    query: FileQuery,
    response: null,
    status: 200,
    async handle({ params: { sessionId }, query }) {
      const { source, bytes } = unwrap(await session(sessionId).readFile(query.path));
      const asText = isText(bytes);
      return new Response(bytes, {
        headers: {
          // Sandbox content on our own origin: must never run, and its type must never be sniffed.
          'content-type': asText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
          'content-length': String(bytes.byteLength),
          'content-security-policy': "sandbox; default-src 'none'",
          'x-content-type-options': 'nosniff',
          'content-disposition': asText ? 'inline' : 'attachment',
          'cache-control': 'no-store',
          'ship-source': source,
        },
      });
    },
  }),
];
