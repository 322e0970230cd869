import { type ProviderId, fail, openSettings } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { OpenProvider } from '../../workspace/providers.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type ModelsEnv, environmentProviders, fileProviders } from './environment.ts';
import { type Provider, quirksOf } from './provider.ts';

/** Cache lifetime: reading the workspace for each call would double its work. */
const CACHE_TTL_MS = 10_000;

export interface RegistryDeps {
  env: ModelsEnv;
  workspace: () => Pick<DurableObjectStub<Workspace>, 'openProviders'>;
  nowMs?: () => number;
}

/** All configured providers: the workspace's override those of `models.json`, which override those of the environment. */
export class ProviderRegistry {
  readonly #deps: RegistryDeps;
  readonly #nowMs: () => number;
  #static: Provider[] | undefined;
  #stored: { providers: Provider[]; until: number } | undefined;

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
    this.#nowMs = deps.nowMs ?? Date.now;
  }

  async all(): Promise<Provider[]> {
    this.#static ??= [...environmentProviders(this.#deps.env), ...fileProviders(this.#deps.env)];
    const byId = new Map<ProviderId, Provider>();
    for (const provider of [...this.#static, ...(await this.#readStored())])
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
        `There is no provider ${providerId}. Configured: ${ids}.`,
        'Add it in Settings or with PUT /api/providers/ID.',
        openSettings('models'),
      )
    );
  }

  /** Drops the cache after a change, so that it takes effect at once. */
  forget(): void {
    this.#stored = undefined;
  }

  async #readStored(): Promise<Provider[]> {
    const nowMs = this.#nowMs();
    if (this.#stored === undefined || this.#stored.until <= nowMs) {
      const open = unwrap(await this.#deps.workspace().openProviders());
      this.#stored = { providers: open.map(providerOf), until: nowMs + CACHE_TTL_MS };
    }
    return this.#stored.providers;
  }
}

function providerOf({ secrets, ...info }: OpenProvider): Provider {
  return {
    info,
    key: secrets?.key ?? null,
    headers: secrets?.headers ?? {},
    isUnreadable: secrets === null,
    ...quirksOf(info.baseUrl),
  };
}
