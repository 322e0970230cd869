import type { SessionId } from '@ship/protocol';
import type { Workspace } from '../workspace/workspace.ts';
import { type ModelChooser, modelChooser } from './choose.ts';
import { modelCapabilities } from './gateway/capability.ts';
import { type GatewayLimits, ModelGateway } from './gateway/gateway.ts';
import { Models } from './model-list.ts';
import { Probes } from './probe.ts';
import type { ModelsEnv } from './providers/environment.ts';
import { ProviderRegistry } from './providers/registry.ts';
import type { CallBudget } from './budget/port.ts';

export interface GatewayEnv extends ModelsEnv {
  /** Signs capabilities; at least 32 random characters. */
  GATEWAY_SECRET?: string | null;
}

export interface ModelParts {
  registry: ProviderRegistry;
  models: Models;
  gateway: ModelGateway;
  budget: (sessionId: SessionId) => CallBudget;
  chooser: ModelChooser;
}

/** Wires the provider registry, the model list and the gateway together. */
export function modelParts(
  env: GatewayEnv,
  workspace: () => DurableObjectStub<Workspace>,
  budget: (sessionId: SessionId) => CallBudget,
  limits?: GatewayLimits,
): ModelParts {
  const registry = new ProviderRegistry({ env, workspace });
  const models = new Models(registry, new Probes());
  const capabilities = env.GATEWAY_SECRET ? modelCapabilities(env.GATEWAY_SECRET) : undefined;
  const gateway = new ModelGateway({ capabilities, registry, models, budget, limits });
  const chooser = modelChooser(models, capabilities !== undefined);
  return { registry, models, gateway, budget, chooser };
}
