import { digestOf } from '../digest.ts';
import { notFound, RegistryError, UpstreamError } from '../errors.ts';
import { urlBelow } from '../path.ts';
import type { GatewayRequest, ProtocolDeps, Reply } from '../reply.ts';

const SEGMENT = /^[\w.~+$@-]+$/;
/** Text files that describe other files. The second kind has no checksum. */
const METADATA = /^maven-metadata[\w.-]*\.xml$/;
const ABOUT_A_FILE = /\.(?:sha1|sha256|sha512|md5|asc)$/;

/** MIRROR/group/…/artifact/version/FILE. Maven has no index: each file has its checksum in a file beside it. */
export async function serveMaven(deps: ProtocolDeps, incoming: GatewayRequest): Promise<Reply> {
  const [id = '', ...path] = incoming.segments;
  const registry = incoming.settings.maven.mirrors.find((mirror) => mirror.id === id)?.url;
  const file = path.at(-1) ?? '';
  if (registry === undefined) throw notFound(`The Maven mirror ${id}`);
  if (path.length < 2 || !path.every((segment) => SEGMENT.test(segment)))
    throw new RegistryError(404, 'The registry gateway serves only files of a Maven repository');
  deps.client.admit(incoming.session, registry);
  if (METADATA.test(file) || ABOUT_A_FILE.test(file))
    return { kind: 'stored', served: await textFile(deps, incoming, registry, path) };
  const served = await deps.fetcher.file(incoming.session, {
    what: file,
    registry,
    url: mavenUrl(registry, path),
    credentials: incoming.settings.maven.credentials,
    digest: await checksumOf(deps, incoming, registry, path),
    contentType: 'application/octet-stream',
  });
  return { kind: 'stored', served };
}

async function textFile(
  { fetcher }: ProtocolDeps,
  { session, settings: { maven } }: GatewayRequest,
  registry: URL,
  path: readonly string[],
) {
  const url = mavenUrl(registry, path);
  return await fetcher.document(session, {
    key: `maven ${url.href}`,
    what: path.at(-1) ?? '',
    registry,
    url,
    credentials: maven.credentials,
    read: (text, answer) => ({ text, contentType: answer.header('content-type') ?? 'text/plain' }),
  });
}

/** Without a checksum nothing is served: a file damaged in transit would be damaged for every sandbox. */
async function checksumOf(
  deps: ProtocolDeps,
  incoming: GatewayRequest,
  registry: URL,
  path: readonly string[],
) {
  const file = path.at(-1) ?? '';
  const { entry } = await textFile(deps, incoming, registry, [
    ...path.slice(0, -1),
    `${file}.sha1`,
  ]);
  const [word = ''] = ((await deps.cache.readText(entry)) ?? '').trim().split(/\s+/);
  const digest = digestOf('sha1', word);
  if (digest === undefined)
    throw new UpstreamError(`The package registry ${registry.host} has no valid ${file}.sha1`);
  return digest;
}

/** Leaves `+`, `@` and `$` unescaped: some servers compare the path without decoding it. */
function mavenUrl(registry: URL, path: readonly string[]): URL {
  const url = urlBelow(registry, path);
  url.pathname = url.pathname.replaceAll(/%(?:2B|40|24)/g, decodeURIComponent);
  return url;
}
