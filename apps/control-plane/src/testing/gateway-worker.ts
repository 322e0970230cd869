/**
 * A Worker for process-level tests of the model gateway: the real app, workspace and gateway, with sessions that are only
 * a budget.
 */
import { DurableObject } from 'cloudflare:workers';
import { type ModelRef, SessionId } from '@ship/protocol';
import { createApp } from '../http/app.ts';
import { authRules } from '../http/auth/authenticate.ts';
import { accessControlOf } from '../http/auth/access-control.ts';
import { allowedHosts } from '../http/guard.ts';
import { usageRoutes } from '../http/routes/usage.ts';
import { modelRoutes } from '../http/routes/models.ts';
import { providerRoutes } from '../http/routes/providers.ts';
import { opencodeConfig } from '../agent/opencode/config.ts';
import { agentModels } from '../models/agent-models.ts';
import { modelCapabilities } from '../models/gateway/capability.ts';
import type { GatewayLimits } from '../models/gateway/gateway.ts';
import { type GatewayEnv, type ModelParts, modelParts } from '../models/index.ts';
import {
  type CallCost,
  type ModelCall,
  type BudgetObject,
  type BudgetTerms,
  budgetOf,
} from '../models/budget/port.ts';
import { SessionBudget } from '../models/budget/session-budget.ts';
import { BUDGET_TABLES } from '../models/budget/tables.ts';
import { migrate } from '../platform/migrate.ts';
import type { Workspace } from '../workspace/workspace.ts';

export { Workspace } from '../workspace/workspace.ts';

interface TestEnv extends GatewayEnv {
  SESSIONS: DurableObjectNamespace<BudgetSession>;
  WORKSPACES: DurableObjectNamespace<Workspace>;
  LOCAL_TOKEN: string;
  SECRETS_KEYS: string;
  /** JSON of GatewayLimits. */
  LIMITS?: string;
}

const workspaceOf = (env: TestEnv) => env.WORKSPACES.get(env.WORKSPACES.idFromName('default'));

/** The test sets its terms. */
export class BudgetSession extends DurableObject<TestEnv> implements BudgetObject {
  readonly #budget: SessionBudget;
  #terms: BudgetTerms | undefined;

  constructor(ctx: DurableObjectState, env: TestEnv) {
    super(ctx, env);
    migrate(ctx.storage, [BUDGET_TABLES]);
    this.#budget = new SessionBudget(ctx.storage.sql, {
      terms: () => {
        this.#terms ??= ctx.storage.kv.get<BudgetTerms>('terms');
        if (this.#terms === undefined) throw new Error('no terms');
        return { ok: true, value: this.#terms };
      },
      day: { charge: (charge) => workspaceOf(env).chargeDay(charge) },
    });
  }

  setTerms(terms: BudgetTerms): void {
    this.ctx.storage.kv.put('terms', terms);
    this.#terms = terms;
  }

  reserveCall(call: ModelCall) {
    return this.#budget.reserve(call);
  }

  settleCall(callId: string, cost: CallCost) {
    return this.#budget.settle(callId, cost);
  }

  async read() {
    await this.#budget.flush();
    return { spent: this.#budget.spent(), hasOpenCalls: this.#budget.nextExpiryAt() !== undefined };
  }
}

/** `/test/…` stands in for the session: it sets terms, issues capabilities and shows the spending. */
async function handleTest(
  env: TestEnv,
  services: ReturnType<typeof createServices>,
  request: Request,
) {
  const body = await request.json<{
    sessionId: string;
    terms?: BudgetTerms;
    agent?: { models: ModelRef[]; gatewayUrl: string };
  }>();
  const sessionId = SessionId.parse(body.sessionId);
  const session = env.SESSIONS.get(env.SESSIONS.idFromName(sessionId));
  if (body.terms !== undefined) await session.setTerms(body.terms);
  const capabilities = modelCapabilities(env.GATEWAY_SECRET ?? '');
  return Response.json({
    ...(await session.read()),
    capability: await capabilities.issue({ sessionId, sandboxId: 'sbx' }, Date.now() + 3_600_000),
    agent: body.agent === undefined ? null : await agentConfig(services.models, body.agent),
  });
}

/** Configures the agent as a session does, for several models at once. */
async function agentConfig(
  services: ModelParts,
  { models, gatewayUrl }: { models: ModelRef[]; gatewayUrl: string },
) {
  const access = await Promise.all(models.map((ref) => agentModels(services, ref, gatewayUrl)));
  return opencodeConfig({
    folder: '/nowhere',
    providers: access.flatMap(({ providers }) => providers),
    smallModel: access[0]?.smallModel ?? '',
    gatewayToken: '',
    permissions: {},
    instructions: [],
    skills: [],
    mcp: {},
  });
}

function createServices(env: TestEnv) {
  const workspace = () => workspaceOf(env);
  const models = modelParts(
    env,
    workspace,
    (sessionId) => budgetOf(env.SESSIONS.get(env.SESSIONS.idFromName(sessionId))),
    env.LIMITS === undefined ? undefined : (JSON.parse(env.LIMITS) as GatewayLimits),
  );
  const app = createApp({
    hosts: allowedHosts('127.0.0.1'),
    assets: { fetch: async () => new Response('0') },
    auth: authRules(
      'local',
      { localToken: env.LOCAL_TOKEN, ownerToken: null },
      accessControlOf(workspace),
    ),
    endpoints: [
      ...modelRoutes({ workspace, models }),
      ...providerRoutes({ workspace, models }),
      ...usageRoutes({ workspace }),
    ],
    modelGateway: models.gateway,
  });
  return { app, models };
}

const known = new WeakMap<TestEnv, ReturnType<typeof createServices>>();

export default {
  fetch(request: Request, env: TestEnv, ctx: ExecutionContext): Response | Promise<Response> {
    const services = known.get(env) ?? createServices(env);
    known.set(env, services);
    if (new URL(request.url).pathname === '/test/session')
      return handleTest(env, services, request);
    return services.app.fetch(request, undefined, ctx);
  },
} satisfies ExportedHandler<TestEnv>;
