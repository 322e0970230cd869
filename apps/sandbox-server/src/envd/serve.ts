/** Listens at the door, and offers the ways out. */
import type { EnvdConfig } from './config.ts';
import { contextOf } from './context.ts';
import { baseEnvironment } from './environment.ts';
import { offerEgress } from './network/egress.ts';
import { createEnvd } from './server.ts';
import { offerSudo } from './sudo.ts';
import { makeLinks } from './tool-links.ts';

export function serve(config: EnvdConfig): void {
  const context = contextOf(config);
  context.env = { ...baseEnvironment(config.egressSocket), ...context.env };
  createEnvd(context).listen({ fd: config.listenerFd }, () => {
    // No connection is served before this function ends.
    if (config.egressSocket !== undefined) offerEgress(config.egressSocket);
    if (config.separateRoot) offerSudo();
    makeLinks(config.toolLinks ?? []);
  });
}
