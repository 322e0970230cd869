import { z } from 'zod';

import { digestOf, writeDigest } from '../digest.ts';
import type { IndexedFile } from '../cache/disk-cache.ts';
import { notFound, RegistryError, UpstreamError } from '../errors.ts';
import { urlBelow } from '../path.ts';
import { json, type Asked, type ProtocolTools, type Reply } from '../reply.ts';
import { readDigest } from '../digest.ts';
import type { CargoRegistry } from '../settings/cargo.ts';

const CRATE = /^[A-Za-z0-9_-]{1,64}$/;
const configSchema = z.object({ dl: z.string() });
const lineSchema = z.object({ vers: z.string(), cksum: z.string() });

/** Where the sparse index keeps a crate. */
function indexPath(crate: string): string[] {
  const name = crate.toLowerCase();
  if (name.length <= 2) return [String(name.length), name];
  if (name.length === 3) return ['3', name.slice(0, 1), name];
  return [name.slice(0, 2), name.slice(2, 4), name];
}

/** In the case that the name is given in. */
function prefix(name: string): string {
  if (name.length > 3) return `${name.slice(0, 2)}/${name.slice(2, 4)}`;
  return name.length === 3 ? `3/${name.slice(0, 1)}` : String(name.length);
}

/** `dl` of a registry's config.json, filled in as cargo does. */
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
export async function serveCargo(tools: ProtocolTools, asked: Asked): Promise<Reply> {
  const [name = '', ...rest] = asked.segments;
  const registry = asked.settings.cargo.registries.get(name);
  const last = rest.at(-1) ?? '';
  if (registry === undefined) throw notFound(`The cargo registry ${name}`);
  tools.client.admit(asked.session, registry.url);
  if (rest.join('/') === 'config.json') return json({ dl: `${tools.insideUrl}/cargo/${name}/dl` });
  const [area, crate = '', version = '', ending] = rest;
  if (area === 'dl' && ending === 'download' && rest.length === 4 && CRATE.test(crate))
    return await serveCrate(tools, asked, registry, crate, version);
  if (CRATE.test(last) && rest.join('/') === indexPath(last).join('/'))
    return { kind: 'stored', served: await indexOf(tools, asked, registry, last) };
  throw new RegistryError(
    404,
    'The registry gateway serves the sparse index, its crates and nothing else',
  );
}

async function indexOf(
  { fetcher }: ProtocolTools,
  asked: Asked,
  { url }: CargoRegistry,
  crate: string,
) {
  return await fetcher.document(asked.session, {
    key: `cargo ${url.href} ${crate.toLowerCase()}`,
    what: crate,
    registry: url,
    url: urlBelow(url, indexPath(crate)),
    credentials: asked.settings.cargo.credentials,
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
  tools: ProtocolTools,
  asked: Asked,
  registry: CargoRegistry,
  crate: string,
  version: string,
): Promise<Reply> {
  const { files = {} } = (await indexOf(tools, asked, registry, crate)).entry;
  const digest = readDigest(Object.hasOwn(files, version) ? files[version]?.digest : undefined);
  if (digest === undefined) throw notFound(`${crate} ${version}`);
  const template = await templateOf(tools, asked, registry);
  const text = downloadUrl(template, crate, version, digest.hex);
  if (!URL.canParse(text))
    throw new UpstreamError(
      `The cargo registry ${registry.url.host} names no usable download address`,
    );
  const url = new URL(text);
  const served = await tools.fetcher.file(asked.session, {
    what: `${crate} ${version}`,
    registry: registry.url,
    url,
    credentials: asked.settings.cargo.credentials,
    digest,
    contentType: 'application/gzip',
  });
  return { kind: 'stored', served };
}

async function templateOf(
  tools: ProtocolTools,
  asked: Asked,
  { url }: CargoRegistry,
): Promise<string> {
  const { entry } = await tools.fetcher.document(asked.session, {
    key: `cargo ${url.href} config.json`,
    what: 'config.json',
    registry: url,
    url: new URL('config.json', url),
    credentials: asked.settings.cargo.credentials,
    read: (text) => ({ text, contentType: 'application/json' }),
  });
  const config = configSchema.safeParse(parseOrNull((await tools.cache.readText(entry)) ?? ''));
  if (!config.success)
    throw new UpstreamError(`The cargo registry ${url.host} gives no valid config.json`);
  return config.data.dl;
}
