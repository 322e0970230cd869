/**
 * Credentials of package registries. They stay in this object: no property, log line or JSON of it reveals one, and a
 * header is returned only for a URL within the origin and path that the owner's configuration names.
 */
interface Grant {
  origin: string;
  pathPrefix: string;
  header: string;
}

export class Credentials {
  readonly #grants: Grant[] = [];

  /** `scope` is the URL that the credential belongs to; one without a host is ignored. */
  add(scope: URL, header: string): void {
    if (header === '' || /[\r\n\0]/.test(header)) return;
    const pathPrefix = scope.pathname.endsWith('/') ? scope.pathname : `${scope.pathname}/`;
    this.#grants.push({ origin: scope.origin, pathPrefix, header });
  }

  addBasic(scope: URL, user: string, password: string): void {
    this.add(scope, `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
  }

  /** The `Authorization` for this URL, from the longest matching path. */
  headerFor(url: URL): string | undefined {
    const path = `${url.pathname}/`;
    const fitting = this.#grants.filter(
      ({ origin, pathPrefix }) => origin === url.origin && path.startsWith(pathPrefix),
    );
    return fitting.toSorted((a, b) => b.pathPrefix.length - a.pathPrefix.length)[0]?.header;
  }

  get isEmpty(): boolean {
    return this.#grants.length === 0;
  }
}

/** Moves `user:password@` out of a URL into the credentials; the remaining URL is safe for logs and cache keys. */
export function takeUserInfo(url: URL, credentials: Credentials): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  if (url.username !== '' || url.password !== '') {
    const scope = new URL('/', bare);
    credentials.addBasic(scope, decodeOrRaw(url.username), decodeOrRaw(url.password));
  }
  return bare;
}

function decodeOrRaw(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An http(s) URL with a path that ends in `/`; undefined for other schemes, which the gateway cannot fetch from. */
export function registryUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  url.hash = '';
  url.search = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}
