import { z } from 'zod';

import type { IndexedFile } from '../cache/disk-cache.ts';
import { digestOf, readDigest, writeDigest } from '../digest.ts';
import { notFound, RegistryError, UpstreamError } from '../errors.ts';
import type { GatewayRequest, ProtocolDeps, Reply } from '../reply.ts';
import {
  normalName,
  readSimpleHtml,
  readSimpleJson,
  SIMPLE_HTML,
  SIMPLE_JSON,
  writeSimpleHtml,
  writeSimpleJson,
  type SimpleFile,
} from './simple-index.ts';

const ACCEPT = `${SIMPLE_JSON}, ${SIMPLE_HTML};q=0.2, text/html;q=0.01`;
/** The stored form of an index. */
const storedSchema = z.array(
  z.object({
    filename: z.string(),
    url: z.string(),
    sha256: z.string().optional(),
    requiresPython: z.string().optional(),
    yanked: z.union([z.string(), z.boolean()]).optional(),
    metadataSha256: z.string().optional(),
  }),
);

interface Page {
  registry: URL;
  files: SimpleFile[];
  indexed: Record<string, IndexedFile>;
  isStale: boolean;
}

/** `simple/PROJECT/` and `files/PROJECT/SHA256/FILE`. */
export async function servePypi(deps: ProtocolDeps, incoming: GatewayRequest): Promise<Reply> {
  const [area, name = '', hash, filename] = incoming.segments;
  const project = normalName(name);
  if (project === undefined || (area !== 'simple' && area !== 'files'))
    throw new RegistryError(
      404,
      'The registry gateway serves only simple/PROJECT/ and the files that it lists',
    );
  if (area === 'files') {
    const pages = await pagesOf(deps, incoming, project);
    return await serveFile(deps, incoming, pages, `${hash}/${filename}`);
  }
  try {
    return await serveProject(deps, incoming, project);
  } catch (error) {
    const isPip = incoming.headers['user-agent']?.startsWith('pip/') === true;
    if (!isPip || !(error instanceof RegistryError) || error.status === 404) throw error;
    return refusalForPip(project, error);
  }
}

async function serveProject(
  deps: ProtocolDeps,
  incoming: GatewayRequest,
  project: string,
): Promise<Reply> {
  const pages = await pagesOf(deps, incoming, project);
  // pip treats files of one name as equal; the first index wins.
  const files = new Map<string, SimpleFile>();
  for (const file of pages.flatMap((page) => page.files))
    if (!files.has(file.filename)) files.set(file.filename, file);
  const list = [...files.values()];
  const isStale = pages.some((page) => page.isStale);
  const accept = incoming.headers.accept ?? '';
  if (accept.includes(SIMPLE_JSON))
    return {
      kind: 'text',
      text: writeSimpleJson(project, list),
      contentType: SIMPLE_JSON,
      isStale,
    };
  const contentType = accept.includes(SIMPLE_HTML) ? SIMPLE_HTML : 'text/html';
  return { kind: 'text', text: writeSimpleHtml(project, list), contentType, isStale };
}

/**
 * pip does not report an index error, only "from versions: none". So it gets a fake version named after the
 * reason, which it prints; a download of it fails with the reason itself.
 */
function refusalForPip(project: string, { message }: RegistryError): Reply {
  const reason = message
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '.')
    .slice(0, 150)
    .replace(/\.$/, '');
  const filename = `${project.replaceAll('-', '_')}-0+${reason}-py3-none-any.whl`;
  const text = writeSimpleHtml(project, [{ filename, url: '' }]);
  return { kind: 'text', text, contentType: 'text/html' };
}

/** Queries every index; succeeds with those that have the project. */
async function pagesOf(
  deps: ProtocolDeps,
  incoming: GatewayRequest,
  project: string,
): Promise<Page[]> {
  const { indexes } = incoming.settings.pip;
  const results = await Promise.allSettled(
    indexes.map((registry) => pageOf(deps, incoming, registry, project)),
  );
  const failed = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  // An index that refuses or is down may have the requested version: answer only with it.
  const serious = failed.find((error) => !(error instanceof RegistryError) || error.status !== 404);
  if (serious !== undefined) throw serious;
  const pages = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (pages.length === 0) throw notFound(project);
  return pages;
}

async function pageOf(
  { fetcher, client, cache }: ProtocolDeps,
  { session, settings: { pip } }: GatewayRequest,
  registry: URL,
  project: string,
): Promise<Page> {
  client.admit(session, registry);
  const url = new URL(`${project}/`, registry);
  const { entry, isStale } = await fetcher.document(session, {
    key: `pypi ${registry.href} ${project}`,
    what: project,
    registry,
    url,
    credentials: pip.credentials,
    headers: { accept: ACCEPT },
    read: (text, answer) => {
      const isJson = (answer.header('content-type') ?? '').includes('json');
      const files = isJson ? readSimpleJson(text, url.href) : readSimpleHtml(text, url.href);
      if (files === undefined)
        throw new UpstreamError(
          `The package registry ${registry.host} gave no valid answer for ${project}`,
        );
      return {
        text: JSON.stringify(files),
        contentType: 'application/json',
        files: filesOf(files),
      };
    },
  });
  const text = await cache.readText(entry);
  if (text === undefined) throw new UpstreamError(`${project} was evicted meanwhile; try again`);
  const files = storedSchema.parse(JSON.parse(text));
  return { registry, files, indexed: entry.files ?? {}, isStale };
}

function filesOf(files: readonly SimpleFile[]): Record<string, IndexedFile> {
  const listed: Record<string, IndexedFile> = {};
  for (const { filename, url, sha256, metadataSha256 } of files) {
    const digest = digestOf('sha256', sha256);
    const metadata = digestOf('sha256', metadataSha256);
    const name = `${sha256 ?? 'unhashed'}/${filename}`;
    listed[name] = { url, ...(digest !== undefined && { digest: writeDigest(digest) }) };
    if (metadata !== undefined)
      listed[`${name}.metadata`] = { url: metadataUrl(url), digest: writeDigest(metadata) };
  }
  return listed;
}

function metadataUrl(url: string): string {
  const found = new URL(url);
  found.pathname += '.metadata';
  return found.href;
}

async function serveFile(
  { fetcher }: ProtocolDeps,
  { session, settings: { pip } }: GatewayRequest,
  pages: readonly Page[],
  name: string,
): Promise<Reply> {
  for (const { registry, indexed } of pages) {
    const file = Object.hasOwn(indexed, name) ? indexed[name] : undefined;
    if (file === undefined) continue;
    const served = await fetcher.file(session, {
      what: name.slice(name.indexOf('/') + 1),
      registry,
      url: new URL(file.url),
      credentials: pip.credentials,
      digest: readDigest(file.digest),
      contentType: 'application/octet-stream',
    });
    return { kind: 'stored', served };
  }
  throw notFound(name);
}
