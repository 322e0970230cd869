/** Starts the HTTP server, the egress listeners and sudo. */
import type { EnvdConfig } from './config.ts';
import { contextOf } from './context.ts';
import { baseEnvironment } from './environment.ts';
import { startEgressListeners } from './network/egress.ts';
import { createEnvd } from './server.ts';
import { startSudoListener } from './sudo.ts';
import { makeLinks } from './tool-links.ts';

export function serve(config: EnvdConfig): void {
  const context = contextOf(config);
  context.env = { ...baseEnvironment(config.egressSocket), ...context.env };
  createEnvd(context).listen({ fd: config.listenerFd }, () => {
    // No connection is served before this callback returns.
    if (config.egressSocket !== undefined) startEgressListeners(config.egressSocket);
    if (config.separateRoot) startSudoListener();
    makeLinks(config.toolLinks ?? []);
  });
}
