import * as z from 'zod';
import type { PortAddress } from '../../sandbox/port.ts';
import { type Access, endWithAccess } from './access.ts';
import { isUpgrade } from './cross-origin.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import type { PortPlace } from './host-name.ts';
import { doesNotAnswer, respondWithPage, nothingListens } from './pages.ts';

/** How E2B's door says that it could not pass a request on. With a port: the sandbox runs, nobody listens there. */
const E2bProxyError = z.object({
  code: z.literal(502),
  sandboxId: z.string(),
  port: z.int().optional(),
});
const MAX_PROXY_ERROR_BYTES = 2_000;

interface Passage {
  place: PortPlace;
  address: PortAddress;
  /** The origins of our page. */
  embedders: readonly string[];
  isAnotherSite: boolean;
  /** The service says that the sandbox does not run, against what is stored. */
  onGone: () => void;
  /** Undefined where access ends with the server only. */
  access: Access | undefined;
}

/** Passes a request into the sandbox and the answer out, both streamed; sockets are joined by the runtime itself. */
export async function proxyRequest(request: Request, passage: Passage): Promise<Response> {
  const { place, address, embedders, isAnotherSite, access } = passage;
  const own = new URL(request.url);
  const target = new URL(address.url);
  // Assigned and not resolved: a path that begins with two slashes would name another host.
  target.pathname = own.pathname;
  target.search = own.search;
  const headers = requestHeaders(request, address.headers);
  if (isUpgrade(request)) headers.set('upgrade', 'websocket');
  const ending = access === undefined ? undefined : new AbortController();
  if (ending !== undefined) request.signal.addEventListener('abort', () => ending.abort());
  let answer: Response;
  try {
    answer = await fetch(target, {
      method: request.method,
      headers,
      body: request.body,
      redirect: 'manual',
      signal: ending?.signal ?? request.signal,
    });
  } catch {
    return respondWithPage(request, doesNotAnswer, embedders);
  }
  if (access !== undefined && ending !== undefined) endWithAccess(answer, access, ending);
  if (answer.webSocket !== null) return socketAnswer(answer);
  const refused = await e2bProxyError(answer);
  if (refused !== undefined) {
    if (refused.port !== undefined)
      return respondWithPage(request, nothingListens(place.port), embedders);
    passage.onGone();
    return respondWithPage(request, doesNotAnswer, embedders);
  }
  const inside = new Set([target.host, `localhost:${place.port}`, `127.0.0.1:${place.port}`]);
  inside.add(`0.0.0.0:${place.port}`);
  return new Response(answer.body, {
    status: answer.status,
    statusText: answer.statusText,
    headers: responseHeaders(answer, { own, embedders, isAnotherSite, inside }),
  });
}

function socketAnswer({ webSocket, headers }: Response): Response {
  const protocol = headers.get('sec-websocket-protocol');
  return new Response(null, {
    status: 101,
    webSocket,
    ...(protocol !== null && { headers: { 'sec-websocket-protocol': protocol } }),
  });
}

/** Undefined when the answer is the program's own, also when that is a 502. */
async function e2bProxyError(answer: Response): Promise<z.infer<typeof E2bProxyError> | undefined> {
  const length = Number(answer.headers.get('content-length') ?? Number.NaN);
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  if (answer.status !== 502 || !isJson || !(length <= MAX_PROXY_ERROR_BYTES)) return undefined;
  const parsed = E2bProxyError.safeParse(
    await answer
      .clone()
      .json()
      .catch(() => undefined),
  );
  return parsed.success ? parsed.data : undefined;
}
