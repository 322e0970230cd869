import type { ModelProtocol, ModelRef } from '@ship/protocol';
import { catalogueOf } from './catalogue/catalogue.ts';
import type { KnownModel } from './known-model.ts';
import type { Models } from './model-list.ts';
import type { ProviderRegistry } from './providers/registry.ts';

/** The door of a sandbox to the model gateway. */
const DOOR = 'http://127.0.0.1:7001';
/** The agent finds its capability in this variable: so it is neither in a file nor in the configuration. */
export const MODELS_TOKEN_VARIABLE = 'SHIP_MODELS_TOKEN';

/** The clients that are in the agent's binary: nothing is installed at run time. */
const CLIENTS: Record<ModelProtocol, string> = {
  'openai-chat': '@ai-sdk/openai-compatible',
  'openai-responses': '@ai-sdk/openai',
  'anthropic-messages': '@ai-sdk/anthropic',
};

/** By default the agent waits for ever. */
const HEADER_TIMEOUT_MS = 120_000;
const CHUNK_TIMEOUT_MS = 180_000;
const DEFAULT_CONTEXT_TOKENS = 128_000;
const DEFAULT_OUTPUT_TOKENS = 8_192;

export interface AgentModels {
  /** What the session may call: put these into its purse's terms. */
  models: ModelRef[];
  /** The part of OpenCode's configuration that is about models. */
  config: {
    model: ModelRef;
    small_model: ModelRef;
    enabled_providers: string[];
    provider: Record<string, AgentProvider>;
  };
}

interface AgentProvider {
  npm: string;
  name: string;
  options: { baseURL: string; apiKey: string; headerTimeout: number; chunkTimeout: number };
  whitelist: string[];
  models: Record<string, AgentModel>;
}

interface AgentModel {
  name: string;
  tool_call: boolean;
  reasoning: boolean;
  attachment: boolean;
  modalities: { input: string[]; output: string[] };
  cost?: { input: number; output: number; cache_read: number; cache_write: number };
  limit: { context: number; output: number };
}

export interface AgentModelsRequest {
  model: ModelRef;
  /** For titles and summaries; without one the provider's own small model, or the model itself. */
  smallModel?: ModelRef;
  /** Others that the session may be changed to without a new start of the agent. */
  others?: readonly ModelRef[];
  gatewayUrl?: string;
}

/** How OpenCode in a sandbox reaches its models: through the gateway, with a capability instead of a key. */
export async function agentModels(
  { registry, models }: { registry: ProviderRegistry; models: Models },
  { model, smallModel, others = [], gatewayUrl = DOOR }: AgentModelsRequest,
): Promise<AgentModels> {
  const small = smallModel ?? smallModelFor(model);
  const refs = [...new Set([model, small, ...others])];
  const provider: Record<string, AgentProvider> = {};
  for (const ref of refs) {
    const { providerId, modelId } = splitRef(ref);
    const found = await registry.require(providerId);
    const { info } = found;
    const entry = (provider[providerId] ??= {
      npm: CLIENTS[info.protocol],
      name: info.name,
      options: {
        baseURL: `${gatewayUrl}/gateway/models/${providerId}`,
        apiKey: `{env:${MODELS_TOKEN_VARIABLE}}`,
        headerTimeout: HEADER_TIMEOUT_MS,
        chunkTimeout: CHUNK_TIMEOUT_MS,
      },
      whitelist: [],
      models: {},
    });
    entry.whitelist.push(modelId);
    entry.models[modelId] = agentModel(await models.describe(found, modelId));
  }
  return {
    models: refs,
    config: { model, small_model: small, enabled_providers: Object.keys(provider), provider },
  };
}

function splitRef(ref: ModelRef): { providerId: string; modelId: string } {
  const slash = ref.indexOf('/');
  return { providerId: ref.slice(0, slash), modelId: ref.slice(slash + 1) };
}

function smallModelFor(model: ModelRef): ModelRef {
  const { providerId } = splitRef(model);
  const { smallModel } = catalogueOf(providerId);
  return smallModel === undefined ? model : `${providerId}/${smallModel}`;
}

function agentModel(known: KnownModel): AgentModel {
  const { price } = known;
  return {
    name: known.name,
    tool_call: known.tools,
    reasoning: known.reasoning,
    attachment: known.images,
    modalities: { input: known.images ? ['text', 'image'] : ['text'], output: ['text'] },
    // What the agent computes is for show: what counts is what the gateway metered.
    ...(price !== null && {
      cost: {
        input: price.input,
        output: price.output,
        cache_read: price.cacheRead,
        cache_write: price.cacheWrite,
      },
    }),
    limit: {
      context: known.contextTokens ?? DEFAULT_CONTEXT_TOKENS,
      output: known.outputTokens ?? DEFAULT_OUTPUT_TOKENS,
    },
  };
}
