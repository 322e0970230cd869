import type { EnvironmentBindings } from './environment.ts';
import type { Route } from './platform/outbound.ts';

/**
 * Service bindings per destination. On one machine each is a service in `workerd.capnp` that connects to one address only.
 * In the cloud there are none, because there is no private network to reach.
 */
export interface DestinationServices {
  SANDBOX_API?: Fetcher;
  /** Supervisors and ports of all sandboxes. */
  SANDBOXES?: Fetcher;
  FORGE?: Fetcher;
  DEMO_MODEL?: Fetcher;
  /** Reaches public and private addresses, for those that the operator entered: model providers and GitHub Enterprise. */
  OPERATOR_NETWORK?: Fetcher;
}

export function destinationRoutes(env: EnvironmentBindings & DestinationServices): Route[] {
  return [
    [env.E2B_API_URL, env.SANDBOX_API],
    [env.E2B_SANDBOX_URL, env.SANDBOXES],
    [env.FORGE_API_URL, env.FORGE],
    [env.DEMO_MODEL_URL, env.DEMO_MODEL],
  ];
}
