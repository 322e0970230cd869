import { type ProviderId, fail, openSettings } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { OpenProvider } from '../../workspace/providers.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type ModelsEnv, environmentProviders, fileProviders } from './environment.ts';
import { type Provider, habitsOf } from './provider.ts';

/** How long a change made elsewhere may stay unknown here: asking the workspace for each call would double its work. */
const KNOWN_FOR_MS = 10_000;

export interface RegistryParts {
  env: ModelsEnv;
  workspace: () => Pick<DurableObjectStub<Workspace>, 'openProviders'>;
  nowMs?: () => number;
}

/** All configured providers: people's own overrule those of `models.json`, which overrule those of the environment. */
export class ProviderRegistry {
  readonly #parts: RegistryParts;
  readonly #nowMs: () => number;
  #fixed: Provider[] | undefined;
  #added: { providers: Provider[]; until: number } | undefined;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
    this.#nowMs = parts.nowMs ?? Date.now;
  }

  async all(): Promise<Provider[]> {
    this.#fixed ??= [...environmentProviders(this.#parts.env), ...fileProviders(this.#parts.env)];
    const byId = new Map<ProviderId, Provider>();
    for (const provider of [...this.#fixed, ...(await this.#readAdded())])
      byId.set(provider.info.providerId, provider);
    return [...byId.values()];
  }

  async require(providerId: string): Promise<Provider> {
    const all = await this.all();
    const ids = all.map(({ info }) => info.providerId).join(', ') || 'none';
    return (
      all.find(({ info }) => info.providerId === providerId) ??
      fail(
        'not-found',
        `There is no provider ${providerId}; there are: ${ids}.`,
        'Add it in Settings or with PUT /api/providers/ID.',
        openSettings('models'),
      )
    );
  }

  /** After a change made here, so that whoever made it sees it at once. */
  forget(): void {
    this.#added = undefined;
  }

  async #readAdded(): Promise<Provider[]> {
    const nowMs = this.#nowMs();
    if (this.#added === undefined || this.#added.until <= nowMs) {
      const open = unwrap(await this.#parts.workspace().openProviders());
      this.#added = { providers: open.map(providerOf), until: nowMs + KNOWN_FOR_MS };
    }
    return this.#added.providers;
  }
}

function providerOf({ secrets, ...info }: OpenProvider): Provider {
  return {
    info,
    key: secrets?.key ?? null,
    headers: secrets?.headers ?? {},
    isUnreadable: secrets === null,
    ...habitsOf(info.baseUrl),
  };
}
