import * as z from 'zod';
import type { PortAddress } from '../../sandbox/port.ts';
import { type Access, endWithAccess } from './access.ts';
import { isUpgrade } from './cross-origin.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import type { PortHost } from './host-name.ts';
import { sandboxUnreachable, respondWithPage, nothingListens } from './pages.ts';

/** The error of E2B's proxy. With a port: the sandbox runs, but no program listens there. */
const E2bProxyError = z.object({
  code: z.literal(502),
  sandboxId: z.string(),
  port: z.int().optional(),
});
const MAX_PROXY_ERROR_BYTES = 2_000;

interface ProxyOptions {
  portHost: PortHost;
  address: PortAddress;
  /** Origins of the web app. */
  embedders: readonly string[];
  isAnotherSite: boolean;
  /** Called when the service reports that the sandbox does not run, contrary to the stored state. */
  onGone: () => void;
  /** Undefined when access cannot be revoked. */
  access: Access | undefined;
}

/** Proxies a request to the sandbox and streams both bodies; the runtime joins WebSockets. */
export async function proxyRequest(request: Request, options: ProxyOptions): Promise<Response> {
  const { portHost, address, embedders, isAnotherSite, access } = options;
  const own = new URL(request.url);
  const target = new URL(address.url);
  // Assign instead of resolving: a path with two leading slashes would name another host.
  target.pathname = own.pathname;
  target.search = own.search;
  const headers = requestHeaders(request, address.headers);
  if (isUpgrade(request)) headers.set('upgrade', 'websocket');
  const controller = access === undefined ? undefined : new AbortController();
  if (controller !== undefined) request.signal.addEventListener('abort', () => controller.abort());
  let response: Response;
  try {
    response = await fetch(target, {
      method: request.method,
      headers,
      body: request.body,
      redirect: 'manual',
      signal: controller?.signal ?? request.signal,
    });
  } catch {
    return respondWithPage(request, sandboxUnreachable, embedders);
  }
  if (access !== undefined && controller !== undefined) endWithAccess(response, access, controller);
  if (response.webSocket !== null) return socketResponse(response);
  const proxyError = await e2bProxyError(response);
  if (proxyError !== undefined) {
    if (proxyError.port !== undefined)
      return respondWithPage(request, nothingListens(portHost.port), embedders);
    options.onGone();
    return respondWithPage(request, sandboxUnreachable, embedders);
  }
  const inside = new Set([target.host, `localhost:${portHost.port}`, `127.0.0.1:${portHost.port}`]);
  inside.add(`0.0.0.0:${portHost.port}`);
  return new Response(response.body, {
    status: response.status,
    statusText: response.statusText,
    headers: responseHeaders(response, { own, embedders, isAnotherSite, inside }),
  });
}

function socketResponse({ webSocket, headers }: Response): Response {
  const protocol = headers.get('sec-websocket-protocol');
  return new Response(null, {
    status: 101,
    webSocket,
    ...(protocol !== null && { headers: { 'sec-websocket-protocol': protocol } }),
  });
}

/** Undefined when the response is the program's, even if that is a 502. */
async function e2bProxyError(
  response: Response,
): Promise<z.infer<typeof E2bProxyError> | undefined> {
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (response.status !== 502 || !isJson || !(length <= MAX_PROXY_ERROR_BYTES)) return undefined;
  const parsed = E2bProxyError.safeParse(
    await response
      .clone()
      .json()
      .catch(() => undefined),
  );
  return parsed.success ? parsed.data : undefined;
}
