/** `/files`: authenticates, then delegates to download or upload. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileRefusal } from '../auth.ts';
import { RpcError } from '../connect/errors.ts';
import { basicUser } from '../connect/server.ts';
import { callUser, type Context } from '../context.ts';
import { header, sendError, sendJson } from '../http.ts';
import { resolvePath } from '../paths.ts';
import { download } from './download.ts';
import { upload, uploadFailure } from './upload.ts';

export async function serveFiles(
  context: Context,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && request.method !== 'POST') return sendError(response, 405, 'use GET or POST');
  const query = (name: string) => url.searchParams.get(name) ?? undefined;
  const path = query('path');
  const refusal = fileRefusal(
    {
      path: path ?? '',
      operation: isRead ? 'read' : 'write',
      username: query('username'),
      signature: query('signature'),
      expiration: query('signature_expiration'),
    },
    header(request, 'x-access-token'),
    context.accessToken,
    Date.now(),
  );
  if (refusal !== undefined) return sendError(response, 401, refusal);
  try {
    const user = callUser(context, query('username') ?? basicUser(request.headers.authorization));
    if (isRead)
      return await download(
        resolvePath(path ?? '', user, context.defaultFolder),
        request,
        response,
      );
    sendJson(response, 200, await upload(context, user, path, request));
  } catch (error) {
    if (error instanceof RpcError)
      return sendError(response, error.code === 'unauthenticated' ? 401 : 400, error.message);
    const failure = uploadFailure(error);
    sendError(response, failure.status, failure.message);
  }
}
