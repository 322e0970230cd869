/**
 * The way out of the control plane. Installed as the global `fetch`, because E2B's SDK takes no other (docs/adr/0020): no redirect is
 * followed for any caller, and a destination with a service is reached through that service alone, which leads
 * nowhere else whatever an answer says.
 */

/** A service binding, or the platform's own fetch. */
interface Service {
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
}

/** A destination and the service that leads there. In the cloud there are no such services, and either may be absent. */
export type Route = readonly [url: string | null | undefined, service: Service | undefined];

interface OutboundOptions {
  routes: readonly Route[];
  /** Reaches private addresses as well; for `operatorFetch` only. */
  operatorNetwork: Service | undefined;
  /** Looks at an answer of a sandbox's supervisor before E2B's SDK reads it. */
  guard: (request: Request, answer: Response) => Response;
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
    (otherwise: Service): typeof fetch =>
    async (input, init) => {
      const request = new Request(input, { ...init, redirect: 'manual' });
      const service = services.get(new URL(request.url).origin) ?? otherwise;
      return guard(request, await service.fetch(request));
    };
  return { fetch: through(platform), operatorFetch: through(operatorNetwork ?? platform) };
}

let installed: Outbound | undefined;

/** Once, before any request is served. */
export function installOutbound(options: Omit<OutboundOptions, 'platform'>): void {
  const native = globalThis.fetch;
  const platform: Service = { fetch: (input, init) => native.call(globalThis, input, init) };
  installed = createOutbound({ ...options, platform });
  globalThis.fetch = installed.fetch;
}

/**
 * For addresses that the operator entered: model providers and forges, which may be on a private network. Everything else uses
 * the global `fetch`, which on one machine reaches public addresses only.
 */
export const operatorFetch: typeof fetch = (input, init) =>
  (installed?.operatorFetch ?? fetch)(input, { ...init, redirect: 'manual' });

const MAX_MOVES = 3;

/**
 * GitHub answers at the old name of a repository with a redirect within its own API, which is followed by hand. A redirect to
 * another host would take our token with it, or lead into our network: it is an error.
 */
export async function withinOrigin(
  fetcher: typeof fetch,
  url: string,
  init: RequestInit,
): Promise<Response> {
  let at = new URL(url);
  let asked = init;
  for (let moves = 0; ; moves += 1) {
    const answer = await fetcher(at.href, { ...asked, redirect: 'manual' });
    const location = answer.headers.get('location');
    if (!REDIRECTS.has(answer.status) || location === null) return answer;
    await answer.body?.cancel();
    const to = URL.canParse(location, at.href) ? new URL(location, at.href) : undefined;
    if (moves === MAX_MOVES || to?.origin !== at.origin)
      throw new Error(`${at.host} redirects to where it is not followed.`);
    at = to;
    // As fetch does it: only 307 and 308 keep the method.
    if (answer.status < 307 && asked.method !== undefined && !/^(GET|HEAD)$/i.test(asked.method))
      asked = { ...asked, method: 'GET', body: null };
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
