import type { ModelParts } from '../models/index.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Endpoint } from './endpoint.ts';
import type { HealthSources } from './health.ts';
import { openApiRoute } from './openapi/route.ts';
import { boardRoutes } from './routes/board.ts';
import { figureRoutes } from './routes/figures.ts';
import { healthRoutes } from './routes/health.ts';
import { liveRoutes } from './routes/live.ts';
import { modelRoutes } from './routes/models.ts';
import { providerRoutes } from './routes/providers.ts';
import { repositoryRoutes } from './routes/repositories.ts';
import { secretRoutes } from './routes/secrets.ts';
import { sessionListRoutes } from './routes/session-list.ts';
import { settingsRoutes } from './routes/settings.ts';
import { tokenRoutes } from './routes/tokens.ts';

export interface ApiParts extends HealthSources {
  workspace: () => DurableObjectStub<Workspace>;
  models: ModelParts;
}

/** Every route under `/api`, and the document that describes them. */
export function apiEndpoints(parts: ApiParts): Endpoint[] {
  const endpoints = [
    ...healthRoutes(parts),
    ...sessionListRoutes(parts),
    ...boardRoutes(parts),
    ...repositoryRoutes(parts),
    ...settingsRoutes(parts),
    ...secretRoutes(parts),
    ...tokenRoutes(parts),
    ...figureRoutes(parts),
    ...modelRoutes(parts),
    ...providerRoutes(parts),
    ...liveRoutes(parts),
  ];
  return [...endpoints, openApiRoute(parts.version, endpoints)];
}
