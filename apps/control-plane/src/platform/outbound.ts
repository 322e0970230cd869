/**
 * Egress of the control plane, installed as the global `fetch` because E2B's SDK accepts no other (docs/adr/0020). It never follows
 * redirects, and reaches a destination with a service binding through that binding only, which connects nowhere else.
 */

/** A service binding, or the platform's fetch. */
interface Service {
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
}

/** A destination and its service binding. Either may be absent; in the cloud there are no such bindings. */
export type Route = readonly [url: string | null | undefined, service: Service | undefined];

interface OutboundOptions {
  routes: readonly Route[];
  /** Also reaches private addresses; for `operatorFetch` only. */
  operatorNetwork: Service | undefined;
  /** Limits responses of a sandbox supervisor before E2B's SDK reads them. */
  guard: (request: Request, response: Response) => Response;
  platform: Service;
}

interface Outbound {
  fetch: typeof fetch;
  operatorFetch: typeof fetch;
}

export function createOutbound(options: OutboundOptions): Outbound {
  const { routes, operatorNetwork, guard, platform } = options;
  const services = new Map<string, Service>();
  for (const [url, service] of routes)
    if (url && service !== undefined) services.set(new URL(url).origin, service);
  const through =
    (fallback: Service): typeof fetch =>
    async (input, init) => {
      const request = new Request(input, { ...init, redirect: 'manual' });
      const service = services.get(new URL(request.url).origin) ?? fallback;
      return guard(request, await service.fetch(request));
    };
  return { fetch: through(platform), operatorFetch: through(operatorNetwork ?? platform) };
}

let installed: Outbound | undefined;

/** Call once, before any request is served. */
export function installOutbound(options: Omit<OutboundOptions, 'platform'>): void {
  const native = globalThis.fetch;
  const platform: Service = { fetch: (input, init) => native.call(globalThis, input, init) };
  installed = createOutbound({ ...options, platform });
  globalThis.fetch = installed.fetch;
}

/**
 * For addresses that the operator entered: model providers and forges, which may be on a private network. Everything else uses
 * the global `fetch`, which reaches only public addresses on a single machine.
 */
export const operatorFetch: typeof fetch = (input, init) =>
  (installed?.operatorFetch ?? fetch)(input, { ...init, redirect: 'manual' });

const MAX_REDIRECTS = 3;

/**
 * Follows redirects within one origin, as GitHub's API sends them for a renamed repository. A redirect to another host is an
 * error: it would receive our token, or lead into our network.
 */
export async function withinOrigin(
  fetcher: typeof fetch,
  url: string,
  init: RequestInit,
): Promise<Response> {
  let at = new URL(url);
  let options = init;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetcher(at.href, { ...options, redirect: 'manual' });
    const location = response.headers.get('location');
    if (!REDIRECT_STATUSES.has(response.status) || location === null) return response;
    await response.body?.cancel();
    const to = URL.canParse(location, at.href) ? new URL(location, at.href) : undefined;
    if (redirects === MAX_REDIRECTS || to?.origin !== at.origin)
      throw new Error(`${at.host} sent a redirect that is not followed.`);
    at = to;
    // Like fetch: only 307 and 308 keep the method.
    if (
      response.status < 307 &&
      options.method !== undefined &&
      !/^(GET|HEAD)$/i.test(options.method)
    )
      options = { ...options, method: 'GET', body: null };
  }
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
