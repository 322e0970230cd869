import { Octokit as Core } from '@octokit/core';
import { restEndpointMethods } from '@octokit/plugin-rest-endpoint-methods';
import { operatorFetch, withinOrigin } from '../../platform/outbound.ts';
import type { ForgeAddress } from './address.ts';
import { RateLimiter, type RateLimiterOptions } from './rate-limiter.ts';

const WithRest = Core.plugin(restEndpointMethods);
export type Octokit = InstanceType<typeof WithRest>;

const TIMEOUT_MS = 30_000;

interface OctokitOptions {
  fetcher?: typeof fetch;
  /** Instead of the address's own token: read before each request, because it may have to be renewed. */
  tokenOf?: () => Promise<string | null>;
}

export function octokitFor(
  { kind, apiUrl, token }: ForgeAddress,
  options: Partial<RateLimiterOptions> & OctokitOptions = {},
): Octokit {
  const { fetcher = operatorFetch, tokenOf, ...limiter } = options;
  const octokit = new WithRest({
    baseUrl: apiUrl,
    userAgent: 'ship',
    ...(token === null || tokenOf !== undefined ? {} : { auth: token }),
    request: {
      fetch: (url: string, init: RequestInit) =>
        // A signal per request: one for the whole client would end every later request too.
        withinOrigin(fetcher, url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
    },
    // Deprecations of GitHub's API matter to Ship's developers, not to readers of a session's log.
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  if (tokenOf !== undefined)
    octokit.hook.before('request', async (outgoing) => {
      const fresh = await tokenOf();
      if (fresh !== null) outgoing.headers.authorization = `token ${fresh}`;
    });
  const rateLimiter = new RateLimiter({ isPaced: kind === 'github', ...limiter });
  octokit.hook.wrap('request', (request, outgoing) =>
    rateLimiter.run(outgoing, async () => request(outgoing)),
  );
  return octokit;
}
