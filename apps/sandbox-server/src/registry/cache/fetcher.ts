import { Readable } from 'node:stream';

import type { EgressSession } from '../../egress/session.ts';
import type { Clock } from '../../lifecycle/clock.ts';
import { notFound, RegistryError, UpstreamError } from '../errors.ts';
import type { UpstreamAnswer, UpstreamClient, UpstreamRequest } from '../upstream/client.ts';
import type { CacheEntry, Digest, DiskCache, IndexedFile } from './disk-cache.ts';

interface Document {
  text: string;
  contentType: string;
  files?: Record<string, IndexedFile>;
}

interface DocumentRequest extends UpstreamRequest {
  /** Without secrets; only its hash is stored. */
  key: string;
  what: string;
  /** Never changes once it exists, such as a version of a Go module. */
  isImmutable?: boolean;
  read(text: string, answer: UpstreamAnswer): Document;
}
interface FileRequest extends UpstreamRequest {
  what: string;
  digest?: Digest | undefined;
  contentType: string;
}

export interface Served {
  entry: CacheEntry;
  /** The upstream is unreachable: this is its earlier answer. */
  isStale: boolean;
}

const MAX_DOCUMENT_BYTES = 64 * 1_048_576;
const DEFAULT_FRESH_MS = 60_000;
const MAX_FRESH_MS = 300_000;
const FOREVER_MS = 10 * 365 * 86_400_000;
/** Hashes with known collisions identify a file only within the registry that provides them, not across registries. */
const WEAK: ReadonlySet<string> = new Set(['sha1']);

interface FetcherDeps {
  cache: DiskCache;
  client: UpstreamClient;
  clock: Clock;
  maxFileBytes: number;
}

/** Documents are revalidated when they are stale, files never change; concurrent requests share one fetch. */
export class Fetcher {
  readonly #deps: FetcherDeps;
  readonly #inFlight = new Map<string, Promise<Served>>();

  constructor(deps: FetcherDeps) {
    this.#deps = deps;
  }

  /** Checks the cache inside the shared call: a request that checked before it ended must not start another fetch. */
  async document(session: EgressSession, request: DocumentRequest): Promise<Served> {
    const { cache, clock } = this.#deps;
    return await this.#once(request.key, async () => {
      const known = await cache.entry(request.key);
      const ageMs = known === undefined ? Infinity : clock.nowMs() - known.fetchedAtMs;
      const isFresh = known !== undefined && ageMs >= 0 && ageMs < known.freshMs;
      if (isFresh && (await this.#isWhole(known))) return { entry: known, isStale: false };
      return await this.#revalidate(session, request, known);
    });
  }

  async file(session: EgressSession, request: FileRequest): Promise<Served> {
    const { digest } = request;
    const isShared = digest !== undefined && !WEAK.has(digest.algorithm);
    const key = isShared
      ? `content ${digest.algorithm} ${digest.hex}`
      : `file ${request.registry.href} ${request.url.href} ${digest?.hex ?? ''}`;
    return await this.#once(key, async () => {
      const known = await this.#deps.cache.entry(key);
      if (known !== undefined && (await this.#isWhole(known)))
        return { entry: known, isStale: false };
      return await this.#download(session, request, key);
    });
  }

  async #isWhole(entry: CacheEntry): Promise<boolean> {
    const file = await this.#deps.cache.openBlob(entry);
    await file?.close();
    return file !== undefined;
  }

  async #once(key: string, start: () => Promise<Served>): Promise<Served> {
    const other = this.#inFlight.get(key);
    if (other !== undefined) {
      try {
        return await other;
      } catch (error) {
        // Refused to the sandbox that incoming first; this one may have other rules.
        if (!(error instanceof RegistryError) || error.status !== 403) throw error;
        return await start();
      }
    }
    const mine = start().finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, mine);
    return await mine;
  }

  async #revalidate(
    session: EgressSession,
    request: DocumentRequest,
    known: CacheEntry | undefined,
  ): Promise<Served> {
    try {
      return await this.#fetch(session, request, known);
    } catch (error) {
      const isUnreachable = error instanceof UpstreamError;
      if (!isUnreachable || known === undefined || !(await this.#isWhole(known))) throw error;
      return { entry: known, isStale: true };
    }
  }

  async #fetch(
    session: EgressSession,
    request: DocumentRequest,
    known: CacheEntry | undefined,
  ): Promise<Served> {
    const { cache, client, clock } = this.#deps;
    const condition = known === undefined || !(await this.#isWhole(known)) ? {} : conditions(known);
    const headers = { ...request.headers, ...condition, 'accept-encoding': 'gzip' };
    const answer = await client.get(session, { ...request, headers });
    const fetchedAtMs = clock.nowMs();
    const maxAgeMs = request.isImmutable === true ? FOREVER_MS : freshness(answer);
    if (answer.status === 304 && known !== undefined) {
      // Drained, so that the connection can be reused.
      answer.body.resume();
      const entry = { ...known, fetchedAtMs, freshMs: maxAgeMs ?? known.freshMs };
      await cache.putEntry(request.key, entry);
      return { entry, isStale: false };
    }
    expectOk(answer, request);
    const text = await readText(answer.body);
    const document = request.read(text, answer);
    const stored = await cache.store(
      Readable.from([Buffer.from(document.text)]),
      MAX_DOCUMENT_BYTES,
    );
    const etag = answer.header('etag');
    const lastModified = answer.header('last-modified');
    const entry: CacheEntry = {
      ...stored,
      contentType: document.contentType,
      fetchedAtMs,
      freshMs: maxAgeMs ?? DEFAULT_FRESH_MS,
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { lastModified }),
      ...(document.files !== undefined && { files: document.files }),
    };
    await cache.putEntry(request.key, entry);
    return { entry, isStale: false };
  }

  async #download(session: EgressSession, request: FileRequest, key: string): Promise<Served> {
    const { cache, client, clock, maxFileBytes } = this.#deps;
    const answer = await client.get(session, {
      ...request,
      headers: { ...request.headers, 'accept-encoding': 'identity' },
    });
    expectOk(answer, request);
    const stored = await cache.store(answer.body, maxFileBytes, request.digest);
    const { contentType } = request;
    const entry = { ...stored, contentType, fetchedAtMs: clock.nowMs(), freshMs: FOREVER_MS };
    await cache.putEntry(key, entry);
    return { entry, isStale: false };
  }
}

function conditions({ etag, lastModified }: CacheEntry): Record<string, string> {
  if (etag !== undefined) return { 'if-none-match': etag };
  return lastModified === undefined ? {} : { 'if-modified-since': lastModified };
}

function freshness(answer: UpstreamAnswer): number | undefined {
  const control = answer.header('cache-control') ?? '';
  if (/no-store|no-cache/i.test(control)) return 0;
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(control)?.[1];
  return seconds === undefined ? undefined : Math.min(Number(seconds) * 1_000, MAX_FRESH_MS);
}

function expectOk(
  answer: UpstreamAnswer,
  { what, registry }: { what: string; registry: URL },
): void {
  if (answer.status === 200) return;
  answer.body.destroy();
  if (answer.status === 404 || answer.status === 410) throw notFound(what);
  if (answer.status === 401 || answer.status === 403)
    throw new RegistryError(
      403,
      `The package registry ${registry.host} answered ${answer.status} for ${what}; check its credentials in the settings of this machine`,
    );
  throw new UpstreamError(
    `The package registry ${registry.host} answered ${answer.status} for ${what}`,
  );
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_DOCUMENT_BYTES)
        throw new RegistryError(
          413,
          'The index of the package is larger than the limit of the registry gateway',
        );
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    throw new UpstreamError(
      'The package registry closed the connection before its answer was complete',
    );
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks).toString('utf8');
}
