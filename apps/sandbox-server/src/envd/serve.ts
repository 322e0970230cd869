/** Listens at the door, and offers the ways out. */
import type { EnvdConfig } from './config.ts';
import { contextOf } from './context.ts';
import { offerEgress, PROXY_ENVIRONMENT } from './network/egress.ts';
import { createEnvd } from './server.ts';
import { offerSudo } from './sudo.ts';

export function serve(config: EnvdConfig): void {
  const context = contextOf(config);
  if (config.egressSocket !== undefined) context.env = { ...PROXY_ENVIRONMENT, ...context.env };
  createEnvd(context).listen({ fd: config.doorFd }, () => {
    // No connection is served before this function ends.
    if (config.egressSocket !== undefined) offerEgress(config.egressSocket);
    if (config.separateRoot) offerSudo();
  });
}
