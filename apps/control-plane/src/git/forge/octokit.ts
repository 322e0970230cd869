import { Octokit as Core } from '@octokit/core';
import { restEndpointMethods } from '@octokit/plugin-rest-endpoint-methods';
import type { ForgeAddress } from './address.ts';
import { Patience, type PatienceOptions } from './patience.ts';

const WithRest = Core.plugin(restEndpointMethods);
export type Octokit = InstanceType<typeof WithRest>;

const TIMEOUT_MS = 30_000;

export function octokitFor(
  { kind, apiUrl, token }: ForgeAddress,
  options: Partial<PatienceOptions> & { fetcher?: typeof fetch } = {},
): Octokit {
  const { fetcher = (input, init) => fetch(input, init), ...patience } = options;
  const octokit = new WithRest({
    baseUrl: apiUrl,
    userAgent: 'ship',
    ...(token === null ? {} : { auth: token }),
    request: {
      fetch: (url: string, init: RequestInit) =>
        // A signal per request: one for the client would end every later request too.
        fetcher(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
    },
    // Deprecations of GitHub's API are news for us, not for whoever reads the log of a session.
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const patient = new Patience({ isPaced: kind === 'github', ...patience });
  octokit.hook.wrap('request', (request, outgoing) =>
    patient.run(outgoing, async () => request(outgoing)),
  );
  return octokit;
}
