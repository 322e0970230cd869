/**
 * The composition root: the only file that reads `env`. It hands each part what that part needs and nothing more.
 */
import pkg from '../package.json' with { type: 'json' };
import { createApp } from './http/app.ts';
import { allowedHosts } from './http/guard.ts';
import type { SessionAgent } from './session/session-agent.ts';
import type { Workspace } from './workspace/workspace.ts';

export { SessionAgent } from './session/session-agent.ts';
export { Workspace } from './workspace/workspace.ts';

export interface Env {
  SESSIONS: DurableObjectNamespace<SessionAgent>;
  WORKSPACES: DurableObjectNamespace<Workspace>;
  /** The built page: workerd's disk service on one machine, Workers assets in the cloud. */
  ASSETS: Fetcher;
  /** The supervising host process, on one machine only. */
  HOST?: Fetcher;
  /** Comma-separated host names under which the page may be opened. */
  ALLOWED_HOSTS: string;
}

/** Every installation has one workspace for now; teams get their own by name. */
const DEFAULT_WORKSPACE = 'default';

export default {
  fetch(request: Request, env: Env): Response | Promise<Response> {
    return createApp({
      version: pkg.version,
      hosts: allowedHosts(env.ALLOWED_HOSTS),
      assets: env.ASSETS,
      host: env.HOST,
      workspace: () => env.WORKSPACES.get(env.WORKSPACES.idFromName(DEFAULT_WORKSPACE)),
    }).fetch(request);
  },
} satisfies ExportedHandler<Env>;
