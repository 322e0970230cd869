/**
 * The supervisor's HTTP server: health, Connect services, files, tunnels. Only modules that a first command needs are
 * loaded at start; the rest would cost a cold start ten milliseconds and is imported on first use.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { equalSecrets } from './auth.ts';
import { serveRpc, type Service, type Services } from './connect/server.ts';
import type { Context } from './context.ts';
import { header, sendError, sendJson } from './http.ts';
import { serveTunnel } from './network/tunnel.ts';
import { processService } from './process/service.ts';

export function createEnvd(context: Context): Server {
  const processes = processService(context);
  let files: Promise<Service> | undefined;
  const services: Services = {
    'process.Process': async () => processes,
    'filesystem.Filesystem': () => {
      files ??= import('./filesystem/service.ts').then((module) =>
        module.filesystemService(context),
      );
      return files;
    },
  };
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 60_000 });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {});
    answer(context, services, request, response).catch((error: unknown) => {
      sendError(response, 500, error instanceof Error ? error.message : String(error));
    });
  });
  server.on('connect', (request, socket, head) => serveTunnel(request, socket, head));
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    else socket.destroy();
  });
  return server;
}

async function answer(
  context: Context,
  services: Services,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://envd');
  const route = `${request.method} ${url.pathname}`;
  if (route === 'GET /health' || route === 'HEAD /health') {
    response.writeHead(204).end();
    return;
  }
  // File requests may carry a signature instead of the token, so they authenticate separately.
  if (url.pathname === '/files')
    return await (await import('./files/serve.ts')).serveFiles(context, url, request, response);
  if (
    context.accessToken !== undefined &&
    !equalSecrets(header(request, 'x-access-token') ?? '', context.accessToken)
  ) {
    sendError(
      response,
      401,
      'unauthorized access, please provide a valid access token or method signing if supported',
    );
    return;
  }
  if (route === 'POST /init')
    return await (await import('./init.ts')).serveInit(context, request, response);
  if (route === 'GET /metrics')
    return sendJson(response, 200, await (await import('./metrics.ts')).metrics(context));
  if (route === 'GET /envs') return sendJson(response, 200, context.env);
  if (await serveRpc(services, url.pathname, request, response)) return;
  sendError(response, 404, `no such path: ${url.pathname}`);
}
