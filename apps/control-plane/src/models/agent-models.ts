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

/** What the agent is told of the models of a session: the gateway's address and their abilities, never a key. */
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

/** What a session with this model may call. */
export function modelsOf(model: ModelRef): ModelRef[] {
  return [...new Set([model, smallModelFor(model)])];
}

/** For titles; null where the provider has none that is known to be small: a large one would keep the agent waiting. */
export function namingModelFor(model: ModelRef): ModelRef | null {
  const { providerId } = splitRef(model);
  const { smallModel } = catalogueOf(providerId);
  return smallModel === undefined ? null : `${providerId}/${smallModel}`;
}

/** For summaries; the model itself where its provider has no small one. */
function smallModelFor(model: ModelRef): ModelRef {
  return namingModelFor(model) ?? model;
}

function agentModel(known: KnownModel): AgentModel {
  return {
    id: known.modelId,
    name: known.name,
    contextTokens: known.contextTokens ?? DEFAULT_CONTEXT_TOKENS,
    outputTokens: known.outputTokens ?? DEFAULT_OUTPUT_TOKENS,
    // What the agent computes is for show: what counts is what the gateway metered.
    price: known.price,
    isReasoning: known.reasoning,
    takesImages: known.images,
  };
}
