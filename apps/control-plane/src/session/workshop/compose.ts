import { OpencodeLauncher } from '../../agent/opencode/launcher.ts';
import type { EnvironmentBindings } from '../../environment.ts';
import { type ForgeBindings, addedRepositories, connectForge } from '../../git/index.ts';
import { agentModels, namingModelFor } from '../../models/agent-models.ts';
import { askModel } from '../../models/ask.ts';
import { modelCapabilities } from '../../models/gateway/capability.ts';
import type { ModelParts } from '../../models/index.ts';
import { unwrap } from '../../platform/result.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { CallCost } from '../../models/budget/port.ts';
import { toUsd } from '../../workspace/money.ts';
import type { Answer, WorkshopParts } from './parts.ts';

/** The gateways' addresses inside every local sandbox. */
const LOCAL_GATEWAYS = { models: 'http://127.0.0.1:7001', git: 'http://127.0.0.1:7002' };

/** Enough for a few words, with room for a model that reasons first. */
const MAX_ANSWER_TOKENS = 1_000;

interface Composition {
  env: EnvironmentBindings;
  forges: ForgeBindings;
  models: ModelParts;
  workspace: () => DurableObjectStub<Workspace>;
}

/** Undefined without a secret to sign capabilities with: then no sandbox can use the gateways, and there is no agent. */
export function workshopParts({
  env,
  forges,
  models,
  workspace,
}: Composition): WorkshopParts | undefined {
  const { GATEWAY_SECRET: secret, PUBLIC_URL } = env;
  if (!secret) return undefined;
  const capabilities = modelCapabilities(secret);
  // Cloud sandboxes use the public address.
  const isLocal = Boolean(env.E2B_API_URL);
  const gateways =
    isLocal || !PUBLIC_URL ? LOCAL_GATEWAYS : { models: PUBLIC_URL, git: PUBLIC_URL };
  return {
    gatewaySecret: secret,
    gateways,
    sessionUrl: (sessionId) => (PUBLIC_URL ? `${PUBLIC_URL}/sessions/${sessionId}` : null),
    launcher: (port) => new OpencodeLauncher(port),
    forge: (location, movedTo) => connectForge(location, forges, undefined, movedTo),
    added: addedRepositories(forges, async () =>
      unwrap(await workspace().listRepositories()).repositories.map(({ location }) => location),
    ),
    namingModel: namingModelFor,
    ask: async (sessionId, model, words, signal) => {
      const question = { ...words, maxAnswerTokens: MAX_ANSWER_TOKENS };
      const { text, cost } = await askModel(models, { sessionId, model, question }, signal);
      return { text, ...usedBy(cost) };
    },
    models: (model) => agentModels(models, model, gateways.models),
    grant: async (repository) => unwrap(await workspace().agentGrantFor(repository)),
    modelsCapability: (claims, expiresAt) => capabilities.issue(claims, expiresAt),
    secrets: async (location) => unwrap(await workspace().secretsFor(location)),
    setups: {
      find: async (scope) => unwrap(await workspace().findSetup(scope)),
      change: async (change) => unwrap(await workspace().changeSetups(change)),
    },
    repository: async (location) => {
      const known = unwrap(await workspace().repositoryAt(location));
      return {
        setupCommand: known?.setupCommand ?? null,
        verifyCommand: known?.verifyCommand ?? null,
        maxStepsPerTurn: known?.maxStepsPerTurn ?? null,
        installDependencies: known?.installDependencies ?? null,
        installScripts: known?.installScripts ?? null,
      };
    },
  };
}

function usedBy({ usage, costMicros }: CallCost): Omit<Answer, 'text'> {
  return {
    tokens: {
      input: usage.inputTokens,
      output: usage.outputTokens,
      reasoning: usage.reasoningTokens,
      cacheRead: usage.cacheReadTokens,
      cacheWrite: usage.cacheWriteTokens,
    },
    costUsd: costMicros === null ? null : toUsd(costMicros),
  };
}
