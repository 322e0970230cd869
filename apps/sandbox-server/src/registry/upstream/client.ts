import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';

import type { Resolver } from '../../egress/dial.ts';
import type { EgressSession } from '../../egress/session.ts';
import type { UpstreamProxies } from '../../egress/upstream-proxy.ts';
import type { Clock } from '../../lifecycle/clock.ts';
import type { Credentials } from '../credentials.ts';
import { NoAnswer, RegistryError, UpstreamError } from '../errors.ts';
import type { Route, Routes } from './dial.ts';
import {
  judgeRegistry,
  judgeUnresolvedUpstream,
  judgeUpstream,
  targetOf,
  type RegistryPolicy,
} from './policy.ts';

export interface UpstreamRequest {
  url: URL;
  /** The registry whose configuration led here; its host decides whether the sandbox may have the response. */
  registry: URL;
  credentials: Credentials;
  headers?: Record<string, string>;
}

export interface UpstreamAnswer {
  status: number;
  header(name: string): string | undefined;
  body: Readable;
}

interface ClientDeps {
  policy: RegistryPolicy;
  resolve: Resolver;
  routes: Routes;
  proxies: UpstreamProxies;
  clock: Clock;
}

const MAX_REDIRECTS = 5;
const ATTEMPTS = 3;
const RETRY_DELAY_MS = 250;
const IDLE_TIMEOUT_MS = 30_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Hosts that serve the files of a public registry, and are as trusted as the registry itself. */
const COMPANIONS: ReadonlyMap<string, string> = new Map([
  ['https://files.pythonhosted.org', 'https://pypi.org'],
  ['https://static.crates.io', 'https://index.crates.io'],
]);

const refusal = (host: string, rule: string): RegistryError =>
  new RegistryError(
    403,
    `Ship refuses the package registry host ${host} for this sandbox (rule: ${rule})`,
  );

/** GET requests to registries, each authorized and recorded in the ledger of the sandbox that causes it. */
export class UpstreamClient {
  readonly #deps: ClientDeps;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  /** Throws when the sandbox may not use this registry. */
  admit(session: EgressSession, registry: URL): void {
    const target = targetOf(registry);
    const rule =
      target === undefined ? 'malformed' : judgeRegistry(target, this.#deps.policy, session.policy);
    if (rule === undefined) return;
    this.#deny(session, registry, rule);
  }

  async get(session: EgressSession, request: UpstreamRequest): Promise<UpstreamAnswer> {
    let { url } = request;
    for (let step = 0; step <= MAX_REDIRECTS; step += 1) {
      const answer = await this.#repeated(session, request, url);
      const location = answer.headers.location;
      if (!REDIRECTS.has(answer.statusCode ?? 0) || location === undefined) return readable(answer);
      answer.destroy();
      url = redirected(url, location);
    }
    throw new UpstreamError(`The package registry ${request.registry.host} redirects too often`);
  }

  /** Retries a connection that fails before the response: the clients inside do not retry. */
  async #repeated(
    session: EgressSession,
    request: UpstreamRequest,
    url: URL,
  ): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(session, request, url);
      } catch (error) {
        if (!(error instanceof NoAnswer) || attempt === ATTEMPTS) throw error;
        await setTimeout(attempt * RETRY_DELAY_MS);
      }
    }
  }

  async #once(
    session: EgressSession,
    request: UpstreamRequest,
    url: URL,
  ): Promise<IncomingMessage> {
    const { clock, routes } = this.#deps;
    const route = await this.#route(session, request.registry, url);
    const rule = 'registry' as const;
    const meter = session.ledger.record(
      { host: url.hostname, port: route.port, verdict: 'allow', rule },
      clock.nowMs(),
    );
    // Looked up at each step: after a redirect to another origin there is none.
    const authorization = request.credentials.headerFor(url);
    return await new Promise((resolve, reject) => {
      const fail = (): void =>
        reject(new NoAnswer(`The package registry ${url.host} does not answer`));
      const outgoing = httpRequest({
        agent: routes.agentFor(route),
        path: `${url.pathname}${url.search}`,
        setHost: false,
        headers: {
          host: url.host,
          'user-agent': 'ship-registry-gateway',
          ...request.headers,
          ...(authorization !== undefined && { authorization }),
        },
      });
      outgoing.setTimeout(IDLE_TIMEOUT_MS, () => outgoing.destroy(new Error('idle')));
      outgoing.on('error', fail);
      outgoing.on('response', (answer) => {
        answer.on('data', (chunk: Buffer) => meter.in(chunk.length));
        answer.pause();
        resolve(answer);
      });
      outgoing.end();
    });
  }

  async #route(session: EgressSession, registry: URL, url: URL): Promise<Route> {
    const { policy, resolve, proxies } = this.#deps;
    const target = targetOf(url);
    if (target === undefined) return this.#deny(session, url, 'malformed');
    const { host, port } = target;
    const isNamed =
      url.origin === registry.origin || COMPANIONS.get(url.origin) === registry.origin;
    const isSecure = url.protocol === 'https:';
    // Plain http goes directly: proxies refuse to tunnel it.
    const proxy = isSecure && !proxies.isDirect(host, port) ? proxies.https : undefined;
    const way = { hostname: url.hostname, port, isSecure };
    const addresses = target.kind === 'address' ? [host] : await resolve(host).catch(() => []);
    if (addresses.length === 0) {
      if (proxy === undefined) return this.#deny(session, url, 'unresolvable');
      const rule = judgeUnresolvedUpstream(target, isNamed, policy, session.policy);
      return rule === undefined
        ? { ...way, address: undefined, proxy }
        : this.#deny(session, url, rule);
    }
    const verdict = judgeUpstream(target, addresses, isNamed, policy, session.policy);
    if (verdict.verdict === 'deny') return this.#deny(session, url, verdict.rule);
    const { address } = verdict;
    return { ...way, address, ...(!proxies.isDirect(host, port, address) && { proxy }) };
  }

  #deny(
    session: EgressSession,
    url: URL,
    rule: Parameters<EgressSession['ledger']['record']>[0]['rule'],
  ): never {
    const port = targetOf(url)?.port ?? 0;
    const attempt = { host: url.hostname, port, verdict: 'deny', rule } as const;
    session.ledger.record(attempt, this.#deps.clock.nowMs());
    if (rule === 'unresolvable')
      throw new UpstreamError(`The package registry host ${url.hostname} cannot be resolved`);
    throw refusal(url.hostname, rule);
  }
}

function redirected(from: URL, location: string): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  // After a redirect from https to http, anyone on the path could answer.
  if (url === undefined || !isWeb || (from.protocol === 'https:' && url.protocol === 'http:'))
    throw new UpstreamError(`The package registry ${from.host} redirects to an unusable address`);
  url.username = '';
  url.password = '';
  return url;
}

function readable(answer: IncomingMessage): UpstreamAnswer {
  const status = answer.statusCode ?? 502;
  const header = (name: string): string | undefined => {
    const value = answer.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  if (answer.headers['content-encoding'] !== 'gzip') return { status, header, body: answer };
  const body = answer.pipe(createGunzip());
  answer.on('error', (error) => body.destroy(error));
  answer.on('aborted', () => body.destroy(new Error('aborted')));
  return { status, header, body };
}
