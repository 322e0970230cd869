import { type Model, type ModelList, type ModelRef, fail, openSettings } from '@ship/protocol';
import { catalogueOf } from './catalogue/catalogue.ts';
import { type KnownModel, isDescribed, knownModel } from './known-model.ts';
import type { Probed, Probes } from './probe.ts';
import type { Provider } from './providers/provider.ts';
import type { ProviderRegistry } from './providers/registry.ts';

const MAX_NAMED_MODELS = 20;

/** Lists the models that can be used now, with the facts about each. */
export class Models {
  readonly #registry: ProviderRegistry;
  readonly #probes: Probes;

  constructor(registry: ProviderRegistry, probes: Probes) {
    this.#registry = registry;
    this.#probes = probes;
  }

  /** Lists only models of configured providers that respond. `preferred` is the default from the settings. */
  async list(preferred: ModelRef | null): Promise<ModelList> {
    const providers = (await this.#registry.all()).toSorted(byPreference);
    const results = await Promise.all(
      providers.map(async (provider) => ({ provider, probed: await this.#probes.ask(provider) })),
    );
    const models = results.flatMap(({ provider, probed }) =>
      probed.ok ? offered(provider, probed).map((known) => modelOf(provider, known)) : [],
    );
    const hasPreferred = models.some(({ ref }) => ref === preferred);
    const defaultModel = hasPreferred ? preferred : (models[0]?.ref ?? null);
    return {
      models: models.map((model) => ({ ...model, isDefault: model.ref === defaultModel })),
      defaultModel,
      unavailable: results.flatMap(({ provider, probed }) =>
        probed.ok ? [] : [{ providerId: provider.info.providerId, error: probed.error }],
      ),
    };
  }

  /** Finds the model of this name, or the default; throws with the available models otherwise. */
  async resolve(ref: ModelRef | null, preferred: ModelRef | null): Promise<Model> {
    const { models, defaultModel } = await this.list(preferred);
    const requested = ref ?? defaultModel;
    const found = models.find((model) => model.ref === requested);
    if (found !== undefined) return found;
    const refs = models.slice(0, MAX_NAMED_MODELS).map((model) => model.ref);
    const rest = models.length > refs.length ? ` and ${models.length - refs.length} more` : '';
    return fail(
      'model-unavailable',
      `${requested === null ? 'No model is' : `The model ${requested} is not`} available. Available: ${refs.join(', ') || 'none'}${rest}.`,
      refs.length === 0
        ? 'Configure a provider in Settings or with ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY or OLLAMA_HOST.'
        : 'Choose one of these, or configure its provider in Settings.',
      openSettings('models'),
    );
  }

  /** Facts for a call. Asks the provider only about models that neither settings nor catalogue describe. */
  async describe(provider: Provider, modelId: string): Promise<KnownModel> {
    const known = knownModel(provider, modelId, undefined);
    if (known.price !== null && isDescribed(provider, modelId)) return known;
    const probed = await this.#probes.ask(provider);
    const listed = probed.ok ? probed.models?.get(modelId) : undefined;
    return knownModel(provider, modelId, listed);
  }
}

/** Real models before the scripted one: the first is the default when none is chosen. */
function byPreference(a: Provider, b: Provider): number {
  return Number(a.info.isDemo) - Number(b.info.isDemo);
}

function offered(provider: Provider, { models }: Probed & { ok: true }): KnownModel[] {
  const { info, offers } = provider;
  const catalogue = Object.keys(catalogueOf(info.providerId).models);
  const shipped = models === null ? catalogue : catalogue.filter((id) => isListed(models, id));
  const others = models !== null && offers === 'all' ? [...models.keys()] : [];
  const ids = new Set([...Object.keys(info.models), ...shipped, ...others]);
  return [...ids].map((id) => knownModel(provider, id, models?.get(id)));
}

/** Providers list dated versions of models that the catalogue has under a short name. */
function isListed(models: ReadonlyMap<string, unknown>, id: string): boolean {
  return models.has(id) || [...models.keys()].some((each) => each.startsWith(`${id}-20`));
}

function modelOf({ info }: Provider, known: KnownModel): Model {
  return {
    ref: `${info.providerId}/${known.modelId}`,
    providerId: info.providerId,
    ...known,
    isDemo: info.isDemo,
    isDefault: false,
  };
}
