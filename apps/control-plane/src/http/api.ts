import type { SessionId } from '@ship/protocol';
import type { ArtifactStore } from '../artifacts/index.ts';
import type { ForgeBindings } from '../git/index.ts';
import type { ModelParts } from '../models/index.ts';
import type { SandboxEgressLog } from '../sandbox/egress-log.ts';
import type { SandboxConnector } from '../sandbox/connect.ts';
import type { SandboxServices } from '../sandbox/services.ts';
import type { SessionStub } from '../session/session-object.ts';
import type { WarmPoolObject } from '../warm-pool/warm-pool-object.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { AuthRules } from './auth/authenticate.ts';
import type { Endpoint } from './endpoint.ts';
import type { HostRules } from './guard.ts';
import type { HealthSources } from './health.ts';
import { openApiRoute } from './openapi/route.ts';
import { agentRoutes } from './routes/agent.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { attachmentRoutes } from './routes/attachments.ts';
import { boardRoutes } from './routes/board.ts';
import { demoRoutes } from './routes/demo.ts';
import { diffRoutes } from './routes/diff.ts';
import { editorRoutes } from './routes/editor.ts';
import { environmentCheckRoutes } from './routes/environment-checks.ts';
import { usageRoutes } from './routes/usage.ts';
import { fileSearchRoutes } from './routes/file-search.ts';
import { draftRoutes } from './routes/drafts.ts';
import { fileRoutes } from './routes/files.ts';
import { forgeRoutes } from './routes/forges.ts';
import { healthRoutes } from './routes/health.ts';
import { hookRoutes } from './routes/hooks.ts';
import { liveRoutes } from './routes/live.ts';
import { modelRoutes } from './routes/models.ts';
import { portRoutes } from './routes/ports.ts';
import { providerRoutes } from './routes/providers.ts';
import { repositoryRoutes } from './routes/repositories.ts';
import { promptRoutes } from './routes/prompts.ts';
import { pullRequestRoutes } from './routes/pull-request.ts';
import { sandboxRoutes } from './routes/sandbox.ts';
import { sandboxFileRoutes } from './routes/sandbox-files.ts';
import { secretRoutes } from './routes/secrets.ts';
import { sessionCreation } from './routes/session-create.ts';
import { sessionListRoutes } from './routes/session-list.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { settingsRoutes } from './routes/settings.ts';
import { setupRoutes } from './routes/setups.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { terminalRoutes } from './routes/terminals.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { watchRoutes } from './routes/watch.ts';

export interface ApiDeps extends HealthSources {
  auth: AuthRules;
  hosts: HostRules;
  workspace: () => DurableObjectStub<Workspace>;
  warmPool: () => DurableObjectStub<WarmPoolObject<unknown>>;
  session: (sessionId: SessionId) => SessionStub;
  models: ModelParts;
  artifacts: ArtifactStore;
  /** Opens terminals and disks of sandboxes. */
  openSandbox: SandboxConnector;
  egressLog: SandboxEgressLog;
  sandboxes: SandboxServices;
  /** Keeps work alive after its client has disconnected. */
  waitUntil: (work: Promise<unknown>) => void;
  /** `fetcher` stands in for GitHub in tests. */
  forges: { bindings: ForgeBindings; fetcher?: typeof fetch };
  /** Without a secret every webhook is refused. */
  hooks: { secret: string | null; bindings: ForgeBindings };
}

/** Every route below `/api`, and the OpenAPI document. */
export function apiEndpoints(deps: ApiDeps): Endpoint[] {
  const endpoints = [
    ...healthRoutes(deps),
    ...sessionListRoutes(deps),
    sessionCreation(
      deps,
      '/sessions',
      'Starts a task: creates a session with its sandbox and, with a prompt, its first turn',
    ),
    ...demoRoutes(deps),
    ...draftRoutes(deps),
    ...sessionRoutes(deps),
    ...promptRoutes(deps),
    ...agentRoutes(deps),
    ...diffRoutes(deps),
    ...fileRoutes(deps),
    ...fileSearchRoutes(deps),
    ...attachmentRoutes(deps),
    ...portRoutes(deps),
    ...editorRoutes(deps),
    ...pullRequestRoutes(deps),
    ...sandboxRoutes(deps),
    ...sandboxFileRoutes(deps),
    ...terminalRoutes(deps),
    ...watchRoutes(deps),
    ...artifactRoutes(deps),
    ...boardRoutes(deps),
    ...repositoryRoutes(deps),
    ...environmentCheckRoutes(deps),
    ...settingsRoutes(deps),
    ...setupRoutes(deps),
    ...secretRoutes(deps),
    ...tokenRoutes(deps),
    ...signInRoutes(deps),
    ...usageRoutes(deps),
    ...modelRoutes(deps),
    ...providerRoutes(deps),
    ...forgeRoutes(deps),
    ...liveRoutes(deps),
    ...hookRoutes(deps),
  ];
  return [...endpoints, openApiRoute(deps.version, endpoints)];
}
