import type { ModelFacts, ModelPrice } from '@ship/protocol';
import { catalogueOf } from './catalogue/catalogue.ts';
import { FREE } from './providers/environment.ts';
import type { Provider } from './providers/provider.ts';

/** What is known of a model, from all sources together. Null is "not known". */
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

/** What a provider's settings say overrules the catalogue, which overrules what the provider says of itself. */
export function knownModel(
  { info }: Provider,
  modelId: string,
  listed: ModelFacts | undefined,
): KnownModel {
  const { models } = catalogueOf(info.providerId);
  const said = withoutGaps(listed);
  const shipped = withoutGaps(own(models, modelId));
  const set = withoutGaps(own(info.models, modelId));
  return {
    name: modelId,
    contextTokens: null,
    outputTokens: null,
    // It runs on the user's own machine.
    price: info.providerId === 'ollama' ? FREE : null,
    reasoning: false,
    images: false,
    tools: true,
    ...said,
    ...shipped,
    ...set,
    modelId,
  };
}

/** Whether settings or catalogue know it: then nobody has to be asked. */
export function isDescribed({ info }: Provider, modelId: string): boolean {
  return (
    Object.hasOwn(info.models, modelId) ||
    Object.hasOwn(catalogueOf(info.providerId).models, modelId)
  );
}

const own = (models: Record<string, ModelFacts>, modelId: string): ModelFacts | undefined =>
  Object.hasOwn(models, modelId) ? models[modelId] : undefined;

/** An absent or unknown fact must not hide one that another source knows. */
function withoutGaps(facts: ModelFacts | undefined): Partial<KnownModel> {
  const known = Object.entries(facts ?? {}).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(known);
}
