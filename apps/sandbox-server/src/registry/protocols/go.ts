import { notFound, RegistryError } from '../errors.ts';
import { urlBelow } from '../path.ts';
import type { GatewayRequest, ProtocolDeps, Reply } from '../reply.ts';

/** MODULE/@v/list, MODULE/@v/VERSION.info|mod|zip, MODULE/@latest; an upper-case letter is encoded as `!` and lower case. */
const SEGMENT = /^[a-z0-9!._~-][a-z0-9!._~+-]*$/;
const VERSION_FILE = /^[\w.!+~-]+\.(?:info|mod|zip)$/;
const DATABASE = /^[a-z0-9.-]+$/;

interface GoPath {
  segments: readonly string[];
  isImmutable: boolean;
  isZip: boolean;
}

export function parseGoPath(segments: readonly string[]): GoPath | undefined {
  const last = segments.at(-1) ?? '';
  if (segments[0] === 'sumdb') {
    const isPlain = segments.slice(2).every((segment) => /^[\w.@!~+-]+$/.test(segment));
    if (segments.length < 3 || !DATABASE.test(segments[1] ?? '') || !isPlain) return undefined;
    // Tiles are parts of an append-only log; its head changes.
    return { segments, isImmutable: segments[2] === 'tile', isZip: false };
  }
  const isLatest = last === '@latest';
  const isVersion = segments.at(-2) === '@v' && (last === 'list' || VERSION_FILE.test(last));
  const module = segments.slice(0, isLatest ? -1 : -2);
  if ((!isLatest && !isVersion) || module.length === 0) return undefined;
  if (!module.every((segment) => SEGMENT.test(segment))) return undefined;
  return { segments, isImmutable: VERSION_FILE.test(last), isZip: last.endsWith('.zip') };
}

export async function serveGo(deps: ProtocolDeps, incoming: GatewayRequest): Promise<Reply> {
  const path = parseGoPath(incoming.segments);
  if (path === undefined)
    throw new RegistryError(404, 'The registry gateway serves only the GOPROXY protocol');
  const what = incoming.segments.join('/');
  let missing: RegistryError = notFound(what);
  for (const registry of incoming.settings.go.proxies) {
    try {
      return await queryProxy(deps, incoming, registry, path, what);
    } catch (error) {
      if (!(error instanceof RegistryError) || error.status !== 404) throw error;
      missing = error;
    }
  }
  throw missing;
}

/** Unverified here: go checks each module against go.sum and the checksum database. So proxies share no cached files. */
async function queryProxy(
  { fetcher, client }: ProtocolDeps,
  { session, settings: { go } }: GatewayRequest,
  registry: URL,
  { segments, isImmutable, isZip }: GoPath,
  what: string,
): Promise<Reply> {
  client.admit(session, registry);
  const base = { what, registry, url: goUrl(registry, segments), credentials: go.credentials };
  const served = isZip
    ? await fetcher.file(session, { ...base, contentType: 'application/zip' })
    : await fetcher.document(session, {
        ...base,
        key: `go ${base.url.href}`,
        isImmutable,
        read: (text, answer) => ({
          text,
          contentType: answer.header('content-type') ?? 'text/plain; charset=utf-8',
        }),
      });
  return { kind: 'stored', served };
}

/** Leaves `!`, `@` and `+` unescaped: some proxies compare the path without decoding it. */
function goUrl(registry: URL, segments: readonly string[]): URL {
  const url = urlBelow(registry, segments);
  url.pathname = url.pathname.replaceAll('%40', '@').replaceAll('%2B', '+');
  return url;
}
