import type { ProviderId, ProviderInfo, ProviderList, ProviderWrite } from '@ship/protocol';
import { type Outcome, outcomeOf } from '../platform/outcome.ts';
import { WorkspaceEntrance } from './entrance.ts';
import { type ForgeTokenInfo, ForgeTokens, type OpenForgeToken } from './forge-tokens.ts';
import { Keyring } from './keyring.ts';
import { type OpenProvider, Providers } from './providers.ts';

interface KeysEnv {
  SECRETS_KEYS?: string | null;
}

/** The part of the workspace that keeps what only the control plane uses: keys of model providers, tokens of forges. */
export abstract class WorkspaceKeys<Env extends KeysEnv> extends WorkspaceEntrance<Env> {
  protected readonly keyring: Keyring;
  readonly #providers: Providers;
  readonly #forgeTokens: ForgeTokens;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.keyring = new Keyring(env.SECRETS_KEYS);
    this.#providers = new Providers(this.db, this.keyring);
    this.#forgeTokens = new ForgeTokens(this.db, this.keyring);
  }

  listProviders(): Outcome<ProviderList> {
    return this.do(() => this.#providers.list());
  }

  async writeProvider(id: ProviderId, write: ProviderWrite): Promise<Outcome<ProviderInfo>> {
    return outcomeOf(() => this.#providers.write(id, write));
  }

  removeProvider(providerId: ProviderId): Outcome<void> {
    return this.do(() => this.#providers.remove(providerId));
  }

  /** With their keys, for the model gateway only: no route leads here. */
  async openProviders(): Promise<Outcome<OpenProvider[]>> {
    return outcomeOf(() => this.#providers.open());
  }

  readForgeToken(url: string): Outcome<ForgeTokenInfo | null> {
    return this.do(() => this.#forgeTokens.read(url) ?? null);
  }

  async writeForgeToken(
    url: string,
    token: string,
    login: string | null,
  ): Promise<Outcome<ForgeTokenInfo>> {
    return outcomeOf(() => this.#forgeTokens.write(url, token, login));
  }

  noteForgeLogin(url: string, setAt: number, login: string): Outcome<void> {
    return this.do(() => this.#forgeTokens.noteLogin(url, setAt, login));
  }

  removeForgeToken(url: string): Outcome<void> {
    return this.do(() => this.#forgeTokens.remove(url));
  }

  /** With the token, for what speaks with the forge only: no route leads here. */
  async openForgeToken(url: string): Promise<Outcome<OpenForgeToken | null>> {
    return outcomeOf(async () => (await this.#forgeTokens.open(url)) ?? null);
  }

  protected async rotateKeys(): Promise<number> {
    return (await this.#providers.rotate()) + (await this.#forgeTokens.rotate());
  }
}
