import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../context.ts';
import { sendError } from '../http.ts';

export async function serveFiles(
  _context: Context,
  _url: URL,
  _request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  sendError(response, 404, 'not yet');
}
