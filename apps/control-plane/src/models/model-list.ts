import { type Model, type ModelList, type ModelRef, fail, openSettings } from '@ship/protocol';
import { catalogueOf } from './catalogue/catalogue.ts';
import { type KnownModel, isDescribed, knownModel } from './known-model.ts';
import type { Probed, Probes } from './probe.ts';
import type { Provider } from './providers/provider.ts';
import type { ProviderRegistry } from './providers/registry.ts';

const TOLD_AT_MOST = 20;

/** Which models can be used now, and what is known of each. */
export class Models {
  readonly #registry: ProviderRegistry;
  readonly #probes: Probes;

  constructor(registry: ProviderRegistry, probes: Probes) {
    this.#registry = registry;
    this.#probes = probes;
  }

  /** Only those of providers that are configured and answer. `wanted` is the default of the settings. */
  async list(wanted: ModelRef | null): Promise<ModelList> {
    const providers = (await this.#registry.all()).toSorted(byPreference);
    const asked = await Promise.all(
      providers.map(async (provider) => ({ provider, probed: await this.#probes.ask(provider) })),
    );
    const models = asked.flatMap(({ provider, probed }) =>
      probed.ok ? offered(provider, probed).map((known) => modelOf(provider, known)) : [],
    );
    const hasWanted = models.some(({ ref }) => ref === wanted);
    const defaultModel = hasWanted ? wanted : (models[0]?.ref ?? null);
    return {
      models: models.map((model) => ({ ...model, isDefault: model.ref === defaultModel })),
      defaultModel,
      unavailable: asked.flatMap(({ provider, probed }) =>
        probed.ok ? [] : [{ providerId: provider.info.providerId, error: probed.error }],
      ),
    };
  }

  /** The model of this name, or the default; a refusal names those that there are. */
  async resolve(ref: ModelRef | null, wanted: ModelRef | null): Promise<Model> {
    const { models, defaultModel } = await this.list(wanted);
    const sought = ref ?? defaultModel;
    const found = models.find((model) => model.ref === sought);
    if (found !== undefined) return found;
    const refs = models.slice(0, TOLD_AT_MOST).map((model) => model.ref);
    const rest = models.length > refs.length ? ` and ${models.length - refs.length} more` : '';
    return fail(
      'model-unavailable',
      `${sought === null ? 'No model is' : `The model ${sought} is not`} available. Available: ${refs.join(', ') || 'none'}${rest}.`,
      refs.length === 0
        ? 'Configure a provider in Settings or with ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY or OLLAMA_HOST.'
        : 'Choose one of these, or configure its provider in Settings.',
      openSettings('models'),
    );
  }

  /** What a call needs to know. Asks the provider only about what neither settings nor catalogue describe. */
  async describe(provider: Provider, modelId: string): Promise<KnownModel> {
    const known = knownModel(provider, modelId, undefined);
    if (known.price !== null && isDescribed(provider, modelId)) return known;
    const probed = await this.#probes.ask(provider);
    const listed = probed.ok ? probed.models?.get(modelId) : undefined;
    return knownModel(provider, modelId, listed);
  }
}

/** Real models before the scripted one: the first is the default of an installation that chose none. */
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

/** Providers list dated versions of what the catalogue calls by its short name. */
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
