import type { ModelFacts, ModelPrice } from '@ship/protocol';
import { catalogueOf } from './catalogue/catalogue.ts';
import { FREE } from './providers/environment.ts';
import type { Provider } from './providers/provider.ts';

/** Facts about a model, merged from all sources. Null means unknown. */
export interface KnownModel {
  modelId: string;
  name: string;
  contextTokens: number | null;
  outputTokens: number | null;
  price: ModelPrice | null;
  reasoning: boolean;
  images: boolean;
  tools: boolean;
}

/** A provider's settings override the catalogue, which overrides the provider's own list. */
export function knownModel(
  { info }: Provider,
  modelId: string,
  listed: ModelFacts | undefined,
): KnownModel {
  const { models } = catalogueOf(info.providerId);
  const reported = withoutGaps(listed);
  const shipped = withoutGaps(own(models, modelId));
  const configured = withoutGaps(own(info.models, modelId));
  return {
    name: modelId,
    contextTokens: null,
    outputTokens: null,
    // Runs on the user's machine.
    price: info.providerId === 'ollama' ? FREE : null,
    reasoning: false,
    images: false,
    tools: true,
    ...reported,
    ...shipped,
    ...configured,
    modelId,
  };
}

/** Whether settings or catalogue describe it: then no request to the provider is needed. */
export function isDescribed({ info }: Provider, modelId: string): boolean {
  return (
    Object.hasOwn(info.models, modelId) ||
    Object.hasOwn(catalogueOf(info.providerId).models, modelId)
  );
}

const own = (models: Record<string, ModelFacts>, modelId: string): ModelFacts | undefined =>
  Object.hasOwn(models, modelId) ? models[modelId] : undefined;

/** Drops absent facts, so that they do not hide those of another source. */
function withoutGaps(facts: ModelFacts | undefined): Partial<KnownModel> {
  const known = Object.entries(facts ?? {}).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(known);
}
