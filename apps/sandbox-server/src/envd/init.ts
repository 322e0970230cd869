/** `POST /init`: sets the token and environment of a sandbox that was claimed from the warm pool. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asMessage, optionalString, stringMap } from './connect/message.ts';
import type { Context } from './context.ts';
import { readJson, sendError } from './http.ts';

export async function serveInit(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const body = asMessage(await readJson(request));
    const token = optionalString(body, 'accessToken');
    const user = optionalString(body, 'defaultUser');
    const folder = optionalString(body, 'defaultWorkdir');
    Object.assign(context.env, stringMap(body, 'envVars'));
    if (token !== undefined) context.accessToken = token === '' ? undefined : token;
    if (user !== undefined && user !== '') context.defaultUser = user;
    if (folder !== undefined) context.defaultFolder = folder === '' ? undefined : folder;
  } catch (error) {
    sendError(response, 400, error instanceof Error ? error.message : String(error));
    return;
  }
  response.writeHead(204).end();
}
