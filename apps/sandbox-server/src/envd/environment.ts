/** The environment that every process inside starts with, before what the caller of the API adds or replaces. */
import { existsSync } from 'node:fs';

import { certificateEnvironment } from './certificates.ts';
import { PROXY_ENVIRONMENT, REGISTRY_URL } from './network/egress.ts';

/**
 * A host that cannot be reached is said within seconds. The defaults of these tools repeat for minutes, which is for the
 * open internet; between them and it is a proxy that says no by name.
 */
const RETRY_ENVIRONMENT: Record<string, string> = {
  // npm repeats each of hundreds of packages before it gives up: with two retries a refusal was said after eight minutes.
  // The registry gateway repeats what a network may lose.
  npm_config_fetch_retries: '0',
  PIP_RETRIES: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  UV_HTTP_RETRIES: '1',
  CARGO_NET_RETRY: '1',
  BUNDLE_RETRY: '1',
};

/**
 * npm looks for its global settings below its prefix, and `user` has another prefix than the template: without this npm
 * missed the registry gateway and asked the registry itself.
 */
const NPM_ENVIRONMENT = { npm_config_globalconfig: '/usr/local/etc/npmrc' };

/** Corepack reads no npmrc. Read at each start: the server may run with or without the gateway the next time. */
const registryEnvironment = (): Record<string, string> =>
  existsSync('/run/registries/npmrc') ? { COREPACK_NPM_REGISTRY: `${REGISTRY_URL}/npm` } : {};

/** Undefined `egressSocket`: nothing leaves, so nothing is said of how. */
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
