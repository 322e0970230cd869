/** `POST /files`: one file as the body, or several as a form. Streams to disk; buffers nothing in memory. */
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { basename, dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { errnoOf, isConnectionLost } from '../connect/errors.ts';
import type { Context } from '../context.ts';
import { ensureFolder, chownTo } from '../filesystem/folders.ts';
import {
  metadataHeaders,
  metadataRefusal,
  readMetadata,
  writeMetadata,
  type Metadata,
} from '../filesystem/metadata.ts';
import { header } from '../http.ts';
import { resolvePath } from '../paths.ts';
import { chunksOf } from '../../streams/chunks.ts';
import type { User } from '../users.ts';
import { requestDecoder } from './encoding.ts';
import { boundaryOf, MultipartError, readMultipart } from './multipart.ts';
import { TooLargeError, writeFrom } from './write-file.ts';

export interface Uploaded {
  path: string;
  name: string;
  type: 'file';
  metadata?: Metadata;
}

export class UploadError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const MAX_FILES = 10_000;
const CONNECTION_LOST = 'the connection closed before the upload was complete';

export async function upload(
  context: Context,
  user: User,
  path: string | undefined,
  request: IncomingMessage,
): Promise<Uploaded[]> {
  const metadata = metadataHeaders(request.headers);
  const refusal = metadataRefusal(metadata);
  if (refusal !== undefined) throw new UploadError(400, `invalid metadata: ${refusal}`);
  refuseTooLarge(context, request);
  const decoded = decodedBody(request);
  const body = chunksOf(decoded);
  const contentType = header(request, 'content-type') ?? '';
  const write = (target: string, source: AsyncIterable<Buffer>) =>
    store(context, user, target, source, {
      metadata,
      // Chunks of a form, or of a decompressed body, are slices of larger buffers.
      ownsChunks: source === body && decoded === request,
    });
  if (/^application\/octet-stream\b/i.test(contentType)) {
    if (path === undefined)
      throw new UploadError(400, 'path query parameter is required for raw body upload');
    return [await write(resolvePath(path, user, context.defaultFolder), body)];
  }
  const boundary = /^multipart\//i.test(contentType) ? boundaryOf(contentType) : undefined;
  if (boundary === undefined) {
    throw new UploadError(
      400,
      `unsupported content type: ${contentType.slice(0, 80)}, expected multipart/form-data or application/octet-stream`,
    );
  }
  const done: Uploaded[] = [];
  for await (const part of readMultipart(body, boundary)) {
    if (part.name !== 'file') continue;
    const target = resolvePath(path ?? part.filename ?? '', user, context.defaultFolder);
    if (done.some((file) => file.path === target)) {
      throw new UploadError(
        400,
        `you cannot upload multiple files to the same path '${target}' in one upload request, only the first specified file was uploaded`,
      );
    }
    if (done.length >= MAX_FILES)
      throw new UploadError(400, `more than ${MAX_FILES} files in one request`);
    done.push(await write(target, part.body));
  }
  return done;
}

function refuseTooLarge(context: Context, request: IncomingMessage): void {
  const limitBytes = context.config.limits.diskMb * 1024 * 1024;
  if (Number(header(request, 'content-length') ?? 0) > limitBytes) {
    throw new UploadError(
      507,
      `not enough disk space available: the sandbox has ${context.config.limits.diskMb} MB`,
    );
  }
}

function decodedBody(request: IncomingMessage): Readable {
  const decoder = requestDecoder(header(request, 'content-encoding'));
  if (decoder === 'unsupported')
    throw new UploadError(400, 'unsupported content encoding; send identity or gzip');
  if (decoder === 'identity') return request;
  request.on('error', (error) => decoder.destroy(error));
  request.on('aborted', () => decoder.destroy(new UploadError(400, CONNECTION_LOST)));
  // A later reader receives the error; one that occurs before must not be an uncaught exception.
  decoder.on('error', () => {});
  return request.pipe(decoder);
}

async function store(
  context: Context,
  user: User,
  path: string,
  source: AsyncIterable<Buffer>,
  { metadata, ownsChunks }: { metadata: Metadata; ownsChunks: boolean },
): Promise<Uploaded> {
  await refuseSpecial(path);
  await ensureFolder(context, dirname(path), user);
  const maxBytes = context.config.limits.diskMb * 1024 * 1024;
  const file = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK,
    0o666,
  );
  try {
    await chownTo(context, path, user);
    await writeFrom(source, file, { maxBytes, ownsChunks });
  } finally {
    await file.close();
  }
  await writeMetadata(path, metadata);
  const stored = (await readMetadata([path]))[path];
  return {
    path,
    name: basename(path),
    type: 'file',
    ...(stored === undefined ? {} : { metadata: stored }),
  };
}

/** Writing to a folder cannot work; writing to a pipe would wait for a reader that may never come. */
async function refuseSpecial(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) throw new UploadError(400, `path is a directory: ${path}`);
  if (found !== undefined && !found.isFile())
    throw new UploadError(400, `path is not a regular file: ${path}`);
}

/** Maps any failure of an upload to its response. */
export function uploadFailure(error: unknown): UploadError {
  if (error instanceof UploadError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = errnoOf(error);
  if (error instanceof TooLargeError || ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code))
    return new UploadError(507, 'not enough disk space available');
  if (isConnectionLost(code)) return new UploadError(400, CONNECTION_LOST);
  if (error instanceof MultipartError || code.startsWith('Z_'))
    return new UploadError(400, message);
  if (['ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ELOOP', 'EINVAL', 'ENXIO', 'ETXTBSY'].includes(code))
    return new UploadError(400, message);
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return new UploadError(403, message);
  // The folder existed before the file was opened: another request or a command has deleted it since.
  if (code === 'ENOENT') return new UploadError(404, `deleted during the upload: ${message}`);
  if (['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'].includes(code)) return new UploadError(503, message);
  return new UploadError(500, message);
}
