import {
  MAX_DOWNLOAD_BYTES,
  MAX_UPLOAD_BYTES,
  SandboxFile,
  SandboxFileQuery,
  SandboxFolderCreate,
  SandboxFolderQuery,
  SandboxListing,
  SandboxMove,
  SessionId,
  ShipFailure,
  fail,
} from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { SandboxConnection } from '../../sandbox/connect.ts';
import { calling } from '../../sandbox/failure.ts';
import { REPOSITORY_FOLDER } from '../../session/workshop/git-work.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';
import { declaredLengthBody, fixedLength } from '../streams/fixed-length.ts';
import { readRange, sliceStream } from '../streams/range.ts';

const params = z.object({ sessionId: SessionId });
const HOME_FOLDER = '/home/user';
const path = '/sessions/{sessionId}/sandbox/files';

/** Sandbox content on our own origin: a download that must never run or be sniffed. */
const DOWNLOAD_HEADERS = {
  'content-type': 'application/octet-stream',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'accept-ranges': 'bytes',
};

/** Lists the repository folder, or the home folder while there is no repository. */
async function listDefault(disk: SandboxConnection['disk']): Promise<SandboxListing> {
  try {
    return await disk.list(REPOSITORY_FOLDER);
  } catch (thrown) {
    if (!(thrown instanceof ShipFailure) || thrown.error.code !== 'not-found') throw thrown;
    return disk.list(HOME_FOLDER);
  }
}

/** The current disk of the sandbox. The session's version of the repository is under `/files`. */
export const sandboxFileRoutes = ({ session, openSandbox, waitUntil }: ApiDeps) => {
  const withDisk = <Value>(
    sessionId: SessionId,
    use: (disk: SandboxConnection['disk']) => Promise<Value>,
  ) =>
    calling('sandbox', async () => {
      const { disk } = await openSandbox(unwrap(await session(sessionId).enterSandbox(true)));
      return use(disk);
    });
  return [
    endpoint({
      method: 'get',
      path,
      summary: 'A folder of the sandbox; without a path, the repository folder',
      params,
      query: SandboxFolderQuery,
      response: SandboxListing,
      handle: ({ params: { sessionId }, query }) =>
        withDisk(sessionId, (disk) =>
          query.path === undefined ? listDefault(disk) : disk.list(query.path),
        ),
    }),
    endpoint({
      method: 'get',
      path: `${path}/content`,
      summary: 'A file of the sandbox, or a range of it',
      params,
      query: SandboxFileQuery,
      response: null,
      status: 200,
      handle: ({ params: { sessionId }, query, request }) =>
        withDisk(sessionId, async (disk) => {
          const { sizeBytes, open } = await disk.read(query.path);
          const range = readRange(request.headers.get('range'), sizeBytes);
          const part = range ?? { start: 0, end: sizeBytes - 1 };
          const length = part.end - part.start + 1;
          if (length > MAX_DOWNLOAD_BYTES)
            fail(
              'too-large',
              `The file has more than ${MAX_DOWNLOAD_BYTES} bytes.`,
              'Download it in ranges, or compress it in the terminal.',
            );
          const name = encodeURIComponent(query.path.slice(query.path.lastIndexOf('/') + 1));
          const bytes = length === 0 ? null : fixedLength(sliceStream(await open(), part), length);
          return new Response(bytes, {
            status: range === undefined ? 200 : 206,
            headers: {
              ...DOWNLOAD_HEADERS,
              'content-length': String(length),
              'content-disposition': `attachment; filename*=UTF-8''${name}`,
              ...(range && { 'content-range': `bytes ${part.start}-${part.end}/${sizeBytes}` }),
            },
          });
        }),
    }),
    endpoint({
      method: 'put',
      path: `${path}/content`,
      summary: 'Writes the body to a file of the sandbox; creates missing parent folders',
      params,
      query: SandboxFileQuery,
      response: SandboxFile,
      handle: ({ params: { sessionId }, query, request }) => {
        const work = withDisk(sessionId, (disk) =>
          disk.write(query.path, declaredLengthBody(request, MAX_UPLOAD_BYTES)),
        );
        // Keep running after a disconnect, so that a partial file is cleaned up.
        waitUntil(work.catch(() => undefined));
        return work;
      },
    }),
    endpoint({
      method: 'post',
      path: `${path}/folders`,
      summary: 'Creates a folder in the sandbox, with its parents',
      params,
      body: SandboxFolderCreate,
      response: null,
      handle: ({ params: { sessionId }, body }) =>
        withDisk(sessionId, async (disk) => {
          await disk.makeFolder(body.path);
          return null;
        }),
    }),
    endpoint({
      method: 'post',
      path: `${path}/moves`,
      summary: 'Renames or moves within the sandbox; never overwrites',
      params,
      body: SandboxMove,
      response: null,
      handle: ({ params: { sessionId }, body: { from, to } }) =>
        withDisk(sessionId, async (disk) => {
          await disk.move(from, to);
          return null;
        }),
    }),
    endpoint({
      method: 'delete',
      path,
      summary: 'Deletes a file, or a folder with its content',
      params,
      query: SandboxFileQuery,
      response: null,
      handle: ({ params: { sessionId }, query }) =>
        withDisk(sessionId, async (disk) => {
          await disk.remove(query.path);
          return null;
        }),
    }),
  ];
};
