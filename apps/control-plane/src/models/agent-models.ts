import type { ModelProtocol, ModelRef } from '@ship/protocol';
import { type AgentModel, type AgentProvider, DEFAULT_SILENCE } from '../agent/port.ts';
import { catalogueOf } from './catalogue/catalogue.ts';
import type { KnownModel } from './known-model.ts';
import type { Models } from './model-list.ts';
import type { ProviderRegistry } from './providers/registry.ts';
import { splitRef } from './split-ref.ts';

const PROTOCOLS: Record<ModelProtocol, AgentProvider['protocol']> = {
  'openai-chat': 'chat',
  'openai-responses': 'responses',
  'anthropic-messages': 'messages',
};

const DEFAULT_CONTEXT_TOKENS = 128_000;
const DEFAULT_OUTPUT_TOKENS = 8_192;

export interface AgentModels {
  providers: AgentProvider[];
  smallModel: ModelRef;
  isPriced: boolean;
}

/** The agent's model configuration for a session: the gateway's address and the models' abilities, never a key. */
export async function agentModels(
  { registry, models }: { registry: ProviderRegistry; models: Models },
  model: ModelRef,
  gatewayUrl: string,
): Promise<AgentModels> {
  const smallModel = smallModelFor(model);
  const providers = new Map<string, AgentProvider>();
  let isPriced = false;
  for (const ref of modelsOf(model)) {
    const { providerId, modelId } = splitRef(ref);
    const provider = await registry.require(providerId);
    const known = await models.describe(provider, modelId);
    if (ref === model) isPriced = known.price !== null;
    providers.set(providerId, {
      id: providerId,
      protocol: PROTOCOLS[provider.info.protocol],
      baseUrl: `${gatewayUrl}/gateway/models/${providerId}`,
      models: [...(providers.get(providerId)?.models ?? []), agentModel(known)],
      silence: DEFAULT_SILENCE,
    });
  }
  return { providers: [...providers.values()], smallModel, isPriced };
}

/** The models that a session with this model may call. */
export function modelsOf(model: ModelRef): ModelRef[] {
  return [...new Set([model, smallModelFor(model)])];
}

/** The model for titles; null when the provider has no known small model: a large one would delay the agent. */
export function namingModelFor(model: ModelRef): ModelRef | null {
  const { providerId } = splitRef(model);
  const { smallModel } = catalogueOf(providerId);
  return smallModel === undefined ? null : `${providerId}/${smallModel}`;
}

/** The model for summaries; the model itself when its provider has no small one. */
function smallModelFor(model: ModelRef): ModelRef {
  return namingModelFor(model) ?? model;
}

function agentModel(known: KnownModel): AgentModel {
  return {
    id: known.modelId,
    name: known.name,
    contextTokens: known.contextTokens ?? DEFAULT_CONTEXT_TOKENS,
    outputTokens: known.outputTokens ?? DEFAULT_OUTPUT_TOKENS,
    // The agent shows costs with it; budgets count what the gateway metered.
    price: known.price,
    isReasoning: known.reasoning,
    takesImages: known.images,
  };
}
