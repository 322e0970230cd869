import { type ForgeAddress, gitRemote, type RepositoryName } from '../forge/address.ts';

const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 200;

/**
 * Renamed repositories, by their names in capabilities that are still in use. Forges redirect git from the old name to the new
 * one, but only in its first request: the ones after it are streams, which cannot be sent twice.
 */
export class MovedRepositories {
  readonly #names = new Map<string, { name: RepositoryName; until: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  current(address: ForgeAddress, asked: RepositoryName): RepositoryName {
    const key = gitRemote(address, asked);
    const known = this.#names.get(key);
    if (known === undefined) return asked;
    if (known.until > this.#now()) return known.name;
    this.#names.delete(key);
    return asked;
  }

  /** The new name, when the forge's answer redirects to one; undefined when it redirects anywhere else. */
  learn(
    address: ForgeAddress,
    asked: RepositoryName,
    answer: Response,
  ): RepositoryName | undefined {
    if (![301, 302, 307, 308].includes(answer.status)) return undefined;
    const name = nameIn(address, answer.headers.get('location') ?? '');
    if (name === undefined) return undefined;
    const [oldest] = this.#names.keys();
    if (this.#names.size >= MAX_KEPT && oldest !== undefined) this.#names.delete(oldest);
    this.#names.set(gitRemote(address, asked), { name, until: this.#now() + KEPT_MS });
    return name;
  }
}

/** Only at the same forge: Ship's credential must go nowhere else. */
function nameIn(address: ForgeAddress, location: string): RepositoryName | undefined {
  const root = new URL(`${address.gitUrl}/`);
  const url = URL.parse(location, root.href);
  if (url === null || url.origin !== root.origin || url.username !== '') return undefined;
  if (!url.pathname.startsWith(root.pathname)) return undefined;
  const path = url.pathname.slice(root.pathname.length);
  const [, owner, name] =
    /^(?!\.+\/)([\w.-]{1,100})\/(?!\.+(?:\.git)?\/)([\w.-]{1,100}?)(?:\.git)?\/(?:info\/refs|git-(?:upload|receive)-pack)$/.exec(
      path,
    ) ?? [];
  return owner === undefined || name === undefined ? undefined : { owner, name };
}
