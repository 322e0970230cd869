import type { CacheEntry } from '../cache/disk-cache.ts';
import type { Served } from '../cache/fetcher.ts';
import { readDigest } from '../digest.ts';
import { notFound, RegistryError, UpstreamError } from '../errors.ts';
import type { GatewayRequest, ProtocolDeps, Reply } from '../reply.ts';
import { json } from '../reply.ts';
import {
  readPackument,
  tarballForm,
  tarballsOf,
  withoutSecrets,
  withTarballs,
  type TarballForm,
} from './packument.ts';

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
const ABBREVIATED = 'application/vnd.npm.install-v1+json';
const MAX_NAME_CHARS = 214;

type NpmRequest =
  | { kind: 'packument'; name: string }
  | { kind: 'manifest'; name: string; version: string }
  | { kind: 'tarball'; name: string; file: string };

function named(parts: readonly string[]): string | undefined {
  const text = parts.join('/');
  return text.length <= MAX_NAME_CHARS && NAME.test(text) ? text : undefined;
}

/** Parsed from the end: lock files of other registries have a leading path, and npm may send it along. */
export function parseNpmPath(segments: readonly string[]): NpmRequest | undefined {
  const before = (end: number): string | undefined =>
    segments[end - 2]?.startsWith('@') === true
      ? named(segments.slice(end - 2, end))
      : named(segments.slice(end - 1, end));
  const dash = segments.length - 2;
  const last = segments.at(-1) ?? '';
  if (segments[dash] === '-' && dash > 0) {
    const name = before(dash);
    return name === undefined ? undefined : { kind: 'tarball', name, file: last };
  }
  // GitHub: /download/@owner/name/version/hash
  if (segments[0] === 'download' && segments.length === 5) {
    const name = named(segments.slice(1, 3));
    return name === undefined ? undefined : { kind: 'tarball', name, file: last };
  }
  const length = segments[0]?.startsWith('@') === true ? 2 : 1;
  const name = named(segments.slice(0, length));
  if (name === undefined || segments.length > length + 1 || name === '-') return undefined;
  return segments.length === length
    ? { kind: 'packument', name }
    : { kind: 'manifest', name, version: last };
}

export async function serveNpm(deps: ProtocolDeps, incoming: GatewayRequest): Promise<Reply> {
  if (incoming.segments[0] === '-' && incoming.segments[1] === 'ping') return json({});
  const request = parseNpmPath(incoming.segments);
  if (request === undefined)
    throw new RegistryError(404, 'The registry gateway serves only packages of a registry');
  const form = tarballForm(incoming.headers['user-agent'] ?? '');
  if (request.kind === 'tarball') return await serveTarball(deps, incoming, request);
  const isAbbreviated = (incoming.headers.accept ?? '').includes(ABBREVIATED);
  const served = await packumentOf(deps, incoming, request.name, isAbbreviated);
  if (request.kind === 'packument' && form === 'original') return { kind: 'stored', served };
  return await rewritten(deps, request, served, form);
}

async function packumentOf(
  { fetcher, client }: ProtocolDeps,
  { session, settings: { npm } }: GatewayRequest,
  name: string,
  isAbbreviated: boolean,
): Promise<Served> {
  const registry = registryOf(npm, name);
  client.admit(session, registry);
  const accept = isAbbreviated
    ? `${ABBREVIATED}; q=1.0, application/json; q=0.8`
    : 'application/json';
  return await fetcher.document(session, {
    key: packumentKey(registry, name, isAbbreviated),
    what: name,
    registry,
    url: new URL(name.replace('/', '%2f'), registry),
    credentials: npm.credentials,
    headers: { accept },
    read: (text, answer) => {
      const packument = readPackument(text, name);
      if (packument === undefined)
        throw new UpstreamError(
          `The package registry ${registry.host} gave no valid answer for ${name}`,
        );
      const contentType = answer.header('content-type') ?? 'application/json';
      const shown = withoutSecrets(text, packument, registry);
      return { text: shown, contentType, files: tarballsOf(packument, registry) };
    },
  });
}

function registryOf(npm: GatewayRequest['settings']['npm'], name: string): URL {
  const scope = name.startsWith('@') ? name.slice(0, name.indexOf('/')).toLowerCase() : '';
  return npm.scopes.get(scope) ?? npm.registry;
}

async function rewritten(
  { cache, insideUrl }: ProtocolDeps,
  request: Exclude<NpmRequest, { kind: 'tarball' }>,
  { entry, isStale }: Served,
  form: TarballForm,
): Promise<Reply> {
  const text = await cache.readText(entry);
  const found = text === undefined ? undefined : readPackument(text, request.name);
  if (found === undefined)
    throw new UpstreamError(`${request.name} was evicted meanwhile; try again`);
  const packument = withTarballs(found, form, `${insideUrl}/npm`);
  if (request.kind === 'packument')
    return {
      kind: 'text',
      text: JSON.stringify(packument),
      contentType: entry.contentType,
      isStale,
    };
  const tagged = packument['dist-tags']?.[request.version] ?? request.version;
  const manifest = Object.hasOwn(packument.versions, tagged)
    ? packument.versions[tagged]
    : undefined;
  if (manifest === undefined) throw notFound(`${request.name}@${request.version}`);
  return { kind: 'text', text: JSON.stringify(manifest), contentType: 'application/json', isStale };
}

async function serveTarball(
  deps: ProtocolDeps,
  incoming: GatewayRequest,
  { name, file }: Extract<NpmRequest, { kind: 'tarball' }>,
): Promise<Reply> {
  const { npm } = incoming.settings;
  const registry = registryOf(npm, name);
  deps.client.admit(incoming.session, registry);
  const fetchIt = async (entry: CacheEntry | undefined): Promise<Reply | undefined> => {
    const files = entry?.files ?? {};
    const found = Object.hasOwn(files, file) ? files[file] : undefined;
    if (found === undefined) return undefined;
    const served = await deps.fetcher.file(incoming.session, {
      what: file,
      registry,
      url: new URL(found.url),
      credentials: npm.credentials,
      digest: readDigest(found.digest),
      contentType: 'application/octet-stream',
    });
    return { kind: 'stored', served };
  };
  // A published version never changes, so a stale document is good enough; if that fails, the newest one decides.
  for (const isAbbreviated of [true, false]) {
    const known = await deps.cache.entry(packumentKey(registry, name, isAbbreviated));
    const reply = await fetchIt(known).catch(() => undefined);
    if (reply !== undefined) return reply;
  }
  const { entry } = await packumentOf(deps, incoming, name, true);
  const reply = await fetchIt(entry);
  if (reply === undefined) throw notFound(`${name}/-/${file}`);
  return reply;
}

function packumentKey(registry: URL, name: string, isAbbreviated: boolean): string {
  // The `2`: documents of an earlier version had addresses that may contain a secret.
  return `npm 2 ${registry.href} ${name} ${isAbbreviated ? 'abbreviated' : 'full'}`;
}
