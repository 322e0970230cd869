/** `GET /files`: one file, whole, a range of it, or compressed. */
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errnoOf } from '../connect/errors.ts';
import { header, sendError } from '../http.ts';
import { compressor, responseCoding } from './encoding.ts';
import { sendFile } from './read-file.ts';

const CHUNK_BYTES = 256 * 1024;

export interface Range {
  start: number;
  /** Inclusive. */
  end: number;
}

/** One byte range; undefined for none or an unsupported form, 'unsatisfiable' for one past the end. */
export function parseRange(
  text: string | undefined,
  size: number,
): Range | undefined | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(text ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return undefined;
  const [, first = '', last = ''] = match;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start > end || start >= size ? 'unsatisfiable' : { start, end };
}

export async function download(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const found = await stat(path).catch((error: unknown) => error);
  if (found instanceof Error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(errnoOf(found));
    return sendError(
      response,
      isMissing ? 404 : 400,
      isMissing ? `path '${path}' does not exist` : found.message,
    );
  }
  const { isDirectory, isFile, size } = describe(found as Awaited<ReturnType<typeof stat>>);
  if (isDirectory) return sendError(response, 400, `path '${path}' is a directory`);
  // A pipe or a device might never end, or never begin.
  if (!isFile) return sendError(response, 400, `path '${path}' is not a regular file`);
  const coding = responseCoding(header(request, 'accept-encoding'));
  if (coding === 'none')
    return sendError(response, 406, 'no acceptable encoding found, supported: [identity, gzip]');
  const range = coding === 'identity' ? parseRange(header(request, 'range'), size) : undefined;
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${size}`);
    return sendError(response, 416, 'the range is past the end of the file');
  }
  await send(path, size, coding, range, response);
}

function describe(stats: { isDirectory(): boolean; isFile(): boolean; size: number | bigint }) {
  return { isDirectory: stats.isDirectory(), isFile: stats.isFile(), size: Number(stats.size) };
}

async function send(
  path: string,
  size: number,
  coding: 'identity' | 'gzip',
  range: Range | undefined,
  response: ServerResponse,
): Promise<void> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return sendError(
      response,
      403,
      `error opening file '${path}': ${error instanceof Error ? error.message : ''}`,
    );
  }
  response.setHeader('vary', 'Accept-Encoding');
  response.setHeader('content-type', 'application/octet-stream');
  response.setHeader(
    'content-disposition',
    `inline; filename*=UTF-8''${encodeURIComponent(basename(path))}`,
  );
  response.setHeader('accept-ranges', 'bytes');
  try {
    // Files of /proc report size 0 but are not empty: without a length, the end of the stream ends the response.
    const isSized = size > 0;
    if (coding === 'gzip') {
      response.setHeader('content-encoding', 'gzip');
      response.writeHead(200);
      await pipeline(file.createReadStream({ highWaterMark: CHUNK_BYTES }), compressor(), response);
      return;
    }
    if (range === undefined && isSized && size <= CHUNK_BYTES) {
      const body = await readAtOnce(file, size);
      response.setHeader('content-length', body.length);
      response.writeHead(200);
      response.end(body);
      return;
    }
    if (range !== undefined)
      response.setHeader('content-range', `bytes ${range.start}-${range.end}/${size}`);
    const end = isSized ? (range?.end ?? size - 1) + 1 : undefined;
    if (end !== undefined) response.setHeader('content-length', end - (range?.start ?? 0));
    else if (!path.startsWith('/proc/') && !path.startsWith('/sys/'))
      response.setHeader('content-length', 0);
    response.writeHead(range === undefined ? 200 : 206);
    await sendFile(file, response, { start: range?.start ?? 0, end });
  } catch {
    // The client disconnected, or the file shrank: the announced length cannot be met.
    response.destroy();
  } finally {
    await file.close().catch(() => {});
  }
}

/**
 * The current content, at most `size` bytes. A program that rewrites a small file truncates it first: a length announced
 * before the read could not be met, and the client would see a broken connection.
 */
async function readAtOnce(file: FileHandle, size: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(block, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return block.subarray(0, length);
}
