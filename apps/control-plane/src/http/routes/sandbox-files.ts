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
import type { SandboxInside } from '../../sandbox/doors.ts';
import { calling } from '../../sandbox/failure.ts';
import { REPOSITORY_FOLDER } from '../../session/workshop/git-work.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';
import { declaredLengthBody, fixedLength } from '../streams/fixed-length.ts';
import { readRange, sliceStream } from '../streams/range.ts';

const params = z.object({ sessionId: SessionId });
const HOME_FOLDER = '/home/user';
const path = '/sessions/{sessionId}/sandbox/files';

/** Made in a sandbox, fetched from our own origin: kept, never run, never guessed at. */
const FOREIGN = {
  'content-type': 'application/octet-stream',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'accept-ranges': 'bytes',
};

/** Before the repository is there, and in a sandbox that has none, the home folder is where one begins. */
async function first(disk: SandboxInside['disk']): Promise<SandboxListing> {
  try {
    return await disk.list(REPOSITORY_FOLDER);
  } catch (thrown) {
    if (!(thrown instanceof ShipFailure) || thrown.error.code !== 'not-found') throw thrown;
    return disk.list(HOME_FOLDER);
  }
}

/** The sandbox's own disk, as it is now. What the session made of the repository is under `/files`. */
export const sandboxFileRoutes = ({ session, doors, waitUntil }: ApiDeps) => {
  const at = <Value>(sessionId: SessionId, use: (disk: SandboxInside['disk']) => Promise<Value>) =>
    calling('sandbox', async () => {
      const { disk } = await doors(unwrap(await session(sessionId).enterSandbox(true)));
      return use(disk);
    });
  return [
    endpoint({
      method: 'get',
      path,
      summary: 'A folder of the sandbox; without a path, where the repository is',
      params,
      query: SandboxFolderQuery,
      response: SandboxListing,
      handle: ({ params: { sessionId }, query }) =>
        at(sessionId, (disk) => (query.path === undefined ? first(disk) : disk.list(query.path))),
    }),
    endpoint({
      method: 'get',
      path: `${path}/content`,
      summary: 'One file of the sandbox, whole or a range of it',
      params,
      query: SandboxFileQuery,
      response: null,
      status: 200,
      handle: ({ params: { sessionId }, query, request }) =>
        at(sessionId, async (disk) => {
          const { sizeBytes, open } = await disk.read(query.path);
          const range = readRange(request.headers.get('range'), sizeBytes);
          const part = range ?? { start: 0, end: sizeBytes - 1 };
          const length = part.end - part.start + 1;
          if (length > MAX_DOWNLOAD_BYTES)
            fail(
              'too-large',
              `The file has more than ${MAX_DOWNLOAD_BYTES} bytes.`,
              'Ask for it in ranges, or pack it in the terminal.',
            );
          const name = encodeURIComponent(query.path.slice(query.path.lastIndexOf('/') + 1));
          const bytes = length === 0 ? null : fixedLength(sliceStream(await open(), part), length);
          return new Response(bytes, {
            status: range === undefined ? 200 : 206,
            headers: {
              ...FOREIGN,
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
      summary: 'Writes a file of the sandbox, the body as it is; folders on the way are made',
      params,
      query: SandboxFileQuery,
      response: SandboxFile,
      handle: ({ params: { sessionId }, query, request }) => {
        const work = at(sessionId, (disk) =>
          disk.write(query.path, declaredLengthBody(request, MAX_UPLOAD_BYTES)),
        );
        // A client that goes away in the middle leaves something to be tidied.
        waitUntil(work.catch(() => undefined));
        return work;
      },
    }),
    endpoint({
      method: 'post',
      path: `${path}/folders`,
      summary: 'Makes a folder in the sandbox, and those on the way',
      params,
      body: SandboxFolderCreate,
      response: null,
      handle: ({ params: { sessionId }, body }) =>
        at(sessionId, async (disk) => {
          await disk.makeFolder(body.path);
          return null;
        }),
    }),
    endpoint({
      method: 'post',
      path: `${path}/moves`,
      summary: 'Renames or moves within the sandbox; never over something that is there',
      params,
      body: SandboxMove,
      response: null,
      handle: ({ params: { sessionId }, body: { from, to } }) =>
        at(sessionId, async (disk) => {
          await disk.move(from, to);
          return null;
        }),
    }),
    endpoint({
      method: 'delete',
      path,
      summary: 'Deletes a file, or a folder with all that is in it',
      params,
      query: SandboxFileQuery,
      response: null,
      handle: ({ params: { sessionId }, query }) =>
        at(sessionId, async (disk) => {
          await disk.remove(query.path);
          return null;
        }),
    }),
  ];
};
