import { z } from 'zod';

import { digestOf, writeDigest } from '../digest.ts';
import type { IndexedFile } from '../cache/disk-cache.ts';
import { notFound, RegistryError, UpstreamError } from '../errors.ts';
import { urlBelow } from '../path.ts';
import { json, type GatewayRequest, type ProtocolDeps, type Reply } from '../reply.ts';
import { readDigest } from '../digest.ts';
import type { CargoRegistry } from '../settings/cargo.ts';

const CRATE = /^[A-Za-z0-9_-]{1,64}$/;
const configSchema = z.object({ dl: z.string() });
const lineSchema = z.object({ vers: z.string(), cksum: z.string() });

/** The crate's path in the sparse index. */
function indexPath(crate: string): string[] {
  const name = crate.toLowerCase();
  if (name.length <= 2) return [String(name.length), name];
  if (name.length === 3) return ['3', name.slice(0, 1), name];
  return [name.slice(0, 2), name.slice(2, 4), name];
}

/** Keeps the case of the name. */
function prefix(name: string): string {
  if (name.length > 3) return `${name.slice(0, 2)}/${name.slice(2, 4)}`;
  return name.length === 3 ? `3/${name.slice(0, 1)}` : String(name.length);
}

/** Expands `dl` of a registry's config.json as cargo does. */
function downloadUrl(dl: string, crate: string, version: string, checksum: string): string {
  if (!/\{(?:crate|version|prefix|lowerprefix|sha256-checksum)\}/.test(dl))
    return `${dl}/${crate}/${version}/download`;
  return dl
    .replaceAll('{crate}', crate)
    .replaceAll('{version}', version)
    .replaceAll('{prefix}', prefix(crate))
    .replaceAll('{lowerprefix}', prefix(crate.toLowerCase()))
    .replaceAll('{sha256-checksum}', checksum);
}

/** NAME/config.json, NAME/se/rd/serde, NAME/dl/CRATE/VERSION/download. */
export async function serveCargo(deps: ProtocolDeps, incoming: GatewayRequest): Promise<Reply> {
  const [name = '', ...rest] = incoming.segments;
  const registry = incoming.settings.cargo.registries.get(name);
  const last = rest.at(-1) ?? '';
  if (registry === undefined) throw notFound(`The cargo registry ${name}`);
  deps.client.admit(incoming.session, registry.url);
  if (rest.join('/') === 'config.json') return json({ dl: `${deps.insideUrl}/cargo/${name}/dl` });
  const [area, crate = '', version = '', ending] = rest;
  if (area === 'dl' && ending === 'download' && rest.length === 4 && CRATE.test(crate))
    return await serveCrate(deps, incoming, registry, crate, version);
  if (CRATE.test(last) && rest.join('/') === indexPath(last).join('/'))
    return { kind: 'stored', served: await indexOf(deps, incoming, registry, last) };
  throw new RegistryError(404, 'The registry gateway serves only the sparse index and its crates');
}

async function indexOf(
  { fetcher }: ProtocolDeps,
  incoming: GatewayRequest,
  { url }: CargoRegistry,
  crate: string,
) {
  return await fetcher.document(incoming.session, {
    key: `cargo ${url.href} ${crate.toLowerCase()}`,
    what: crate,
    registry: url,
    url: urlBelow(url, indexPath(crate)),
    credentials: incoming.settings.cargo.credentials,
    read: (text) => ({ text, contentType: 'text/plain', files: versionsOf(text) }),
  });
}

function versionsOf(text: string): Record<string, IndexedFile> {
  const files: Record<string, IndexedFile> = {};
  for (const line of text.split('\n')) {
    const parsed = line === '' ? undefined : lineSchema.safeParse(parseOrNull(line)).data;
    const digest = parsed === undefined ? undefined : digestOf('sha256', parsed.cksum);
    if (parsed !== undefined && digest !== undefined)
      files[parsed.vers] = { url: '', digest: writeDigest(digest) };
  }
  return files;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function serveCrate(
  deps: ProtocolDeps,
  incoming: GatewayRequest,
  registry: CargoRegistry,
  crate: string,
  version: string,
): Promise<Reply> {
  const { files = {} } = (await indexOf(deps, incoming, registry, crate)).entry;
  const digest = readDigest(Object.hasOwn(files, version) ? files[version]?.digest : undefined);
  if (digest === undefined) throw notFound(`${crate} ${version}`);
  const template = await templateOf(deps, incoming, registry);
  const text = downloadUrl(template, crate, version, digest.hex);
  if (!URL.canParse(text))
    throw new UpstreamError(
      `The cargo registry ${registry.url.host} has no usable download address`,
    );
  const url = new URL(text);
  const served = await deps.fetcher.file(incoming.session, {
    what: `${crate} ${version}`,
    registry: registry.url,
    url,
    credentials: incoming.settings.cargo.credentials,
    digest,
    contentType: 'application/gzip',
  });
  return { kind: 'stored', served };
}

async function templateOf(
  deps: ProtocolDeps,
  incoming: GatewayRequest,
  { url }: CargoRegistry,
): Promise<string> {
  const { entry } = await deps.fetcher.document(incoming.session, {
    key: `cargo ${url.href} config.json`,
    what: 'config.json',
    registry: url,
    url: new URL('config.json', url),
    credentials: incoming.settings.cargo.credentials,
    read: (text) => ({ text, contentType: 'application/json' }),
  });
  const config = configSchema.safeParse(parseOrNull((await deps.cache.readText(entry)) ?? ''));
  if (!config.success)
    throw new UpstreamError(`The cargo registry ${url.host} has no valid config.json`);
  return config.data.dl;
}
