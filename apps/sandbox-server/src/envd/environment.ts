/** The base environment of every process inside; callers of the API add to it or override it. */
import { existsSync } from 'node:fs';

import { certificateEnvironment } from './certificates.ts';
import { PROXY_ENVIRONMENT, REGISTRY_URL } from './network/egress.ts';

/**
 * Makes tools report an unreachable host within seconds. Their defaults retry for minutes, which suits the
 * open internet; behind Ship's proxy, a refusal is final.
 */
const RETRY_ENVIRONMENT: Record<string, string> = {
  // npm retries each of hundreds of packages before it gives up: with two retries it took eight minutes to report a refusal.
  // The registry gateway retries transient network failures.
  npm_config_fetch_retries: '0',
  PIP_RETRIES: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  UV_HTTP_RETRIES: '1',
  CARGO_NET_RETRY: '1',
  BUNDLE_RETRY: '1',
};

/**
 * npm reads its global settings below its prefix, and `user` has another prefix than the template: without this, npm
 * missed the registry gateway and contacted the registry itself.
 */
const NPM_ENVIRONMENT = { npm_config_globalconfig: '/usr/local/etc/npmrc' };

/** Corepack reads no npmrc. Checked at each start: the next server may run with or without the gateway. */
const registryEnvironment = (): Record<string, string> =>
  existsSync('/run/registries/npmrc') ? { COREPACK_NPM_REGISTRY: `${REGISTRY_URL}/npm` } : {};

/** Empty without `egressSocket`: a sandbox without egress needs no proxy settings. */
export function baseEnvironment(egressSocket: string | undefined): Record<string, string> {
  if (egressSocket === undefined) return {};
  return {
    ...PROXY_ENVIRONMENT,
    ...RETRY_ENVIRONMENT,
    ...NPM_ENVIRONMENT,
    ...registryEnvironment(),
    ...certificateEnvironment(),
  };
}
