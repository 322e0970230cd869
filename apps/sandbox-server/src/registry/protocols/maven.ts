import { digestOf } from '../digest.ts';
import { notFound, RegistryError, UpstreamError } from '../errors.ts';
import { urlBelow } from '../path.ts';
import type { Asked, ProtocolTools, Reply } from '../reply.ts';

const SEGMENT = /^[\w.~+$@-]+$/;
/** Texts that say something of other files. The last ones have no checksum of their own. */
const METADATA = /^maven-metadata[\w.-]*\.xml$/;
const ABOUT_A_FILE = /\.(?:sha1|sha256|sha512|md5|asc)$/;

/** MIRROR/group/…/artifact/version/FILE. Maven has no index: each file has its checksum beside it. */
export async function serveMaven(tools: ProtocolTools, asked: Asked): Promise<Reply> {
  const [id = '', ...path] = asked.segments;
  const registry = asked.settings.maven.mirrors.find((mirror) => mirror.id === id)?.url;
  const file = path.at(-1) ?? '';
  if (registry === undefined) throw notFound(`The Maven mirror ${id}`);
  if (path.length < 2 || !path.every((segment) => SEGMENT.test(segment)))
    throw new RegistryError(404, 'The registry gateway serves files of a Maven repository');
  tools.client.admit(asked.session, registry);
  if (METADATA.test(file) || ABOUT_A_FILE.test(file))
    return { kind: 'stored', served: await textFile(tools, asked, registry, path) };
  const served = await tools.fetcher.file(asked.session, {
    what: file,
    registry,
    url: mavenUrl(registry, path),
    credentials: asked.settings.maven.credentials,
    digest: await checksumOf(tools, asked, registry, path),
    contentType: 'application/octet-stream',
  });
  return { kind: 'stored', served };
}

async function textFile(
  { fetcher }: ProtocolTools,
  { session, settings: { maven } }: Asked,
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

/** Without one nothing is served: a file that was broken on its way would be broken for every sandbox. */
async function checksumOf(
  tools: ProtocolTools,
  asked: Asked,
  registry: URL,
  path: readonly string[],
) {
  const file = path.at(-1) ?? '';
  const { entry } = await textFile(tools, asked, registry, [...path.slice(0, -1), `${file}.sha1`]);
  const [word = ''] = ((await tools.cache.readText(entry)) ?? '').trim().split(/\s+/);
  const digest = digestOf('sha1', word);
  if (digest === undefined)
    throw new UpstreamError(`The package registry ${registry.host} has no valid ${file}.sha1`);
  return digest;
}

/** `+`, `@` and `$` stay as they are: some servers compare the path without decoding it. */
function mavenUrl(registry: URL, path: readonly string[]): URL {
  const url = urlBelow(registry, path);
  url.pathname = url.pathname.replaceAll(/%(?:2B|40|24)/g, decodeURIComponent);
  return url;
}
