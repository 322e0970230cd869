import type { ProviderId, ProviderInfo, ProviderList, ProviderWrite } from '@ship/protocol';
import { type Result, resultOf } from '../platform/result.ts';
import { WorkspaceAccessControl } from './access-control.ts';
import { type ForgeTokenInfo, ForgeTokens, type OpenForgeToken } from './forge-tokens.ts';
import { Keyring } from './keyring.ts';
import { type OpenProvider, Providers } from './providers.ts';

interface KeysEnv {
  SECRETS_KEYS?: string | null;
}

/** Credentials that only the control plane uses: keys of model providers and tokens of forges. */
export abstract class WorkspaceKeys<Env extends KeysEnv> extends WorkspaceAccessControl<Env> {
  protected readonly keyring: Keyring;
  readonly #providers: Providers;
  readonly #forgeTokens: ForgeTokens;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.keyring = new Keyring(env.SECRETS_KEYS);
    this.#providers = new Providers(this.db, this.keyring);
    this.#forgeTokens = new ForgeTokens(this.db, this.keyring);
  }

  listProviders(): Result<ProviderList> {
    return this.transact(() => this.#providers.list());
  }

  async writeProvider(id: ProviderId, write: ProviderWrite): Promise<Result<ProviderInfo>> {
    return resultOf(() => this.#providers.write(id, write));
  }

  removeProvider(providerId: ProviderId): Result<void> {
    return this.transact(() => this.#providers.remove(providerId));
  }

  /** Includes keys; for the model gateway only and not reachable by a route. */
  async openProviders(): Promise<Result<OpenProvider[]>> {
    return resultOf(() => this.#providers.open());
  }

  readForgeToken(url: string): Result<ForgeTokenInfo | null> {
    return this.transact(() => this.#forgeTokens.read(url) ?? null);
  }

  async writeForgeToken(
    url: string,
    token: string,
    login: string | null,
  ): Promise<Result<ForgeTokenInfo>> {
    return resultOf(() => this.#forgeTokens.write(url, token, login));
  }

  noteForgeLogin(url: string, setAt: number, login: string): Result<void> {
    return this.transact(() => this.#forgeTokens.noteLogin(url, setAt, login));
  }

  removeForgeToken(url: string): Result<void> {
    return this.transact(() => this.#forgeTokens.remove(url));
  }

  /** Includes the token; for forge clients only and not reachable by a route. */
  async openForgeToken(url: string): Promise<Result<OpenForgeToken | null>> {
    return resultOf(async () => (await this.#forgeTokens.open(url)) ?? null);
  }

  protected async rotateKeys(): Promise<number> {
    return (await this.#providers.rotate()) + (await this.#forgeTokens.rotate());
  }
}
