import { classify } from '@ship/core';
import { type SessionId, fail, shipError } from '@ship/protocol';
import type { Models } from '../model-list.ts';
import { PROTOCOLS, shapeOf } from '../protocols/index.ts';
import type { WireProtocol } from '../protocols/protocol.ts';
import { type Provider, secretsOf } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { CallCost, CallBudget } from '../budget/port.ts';
import { readCall, readShort } from './body.ts';
import { type ModelCapabilities, type ModelClaims, capabilityIn } from './capability.ts';
import { NO_COST } from './estimate.ts';
import { type Call, CallClock, openCall } from './open-call.ts';
import { CallRateLimiter } from './call-rate-limiter.ts';
import { operatorFetch } from '../../platform/outbound.ts';
import { bearerOf } from '../../platform/bearer.ts';
import { redactError, redactExact } from '../../platform/redact.ts';
import { errorOf, refuse } from './refusal.ts';
import { relay } from './relay.ts';
import { responseHeaders, requestHeaders } from './upstream-headers.ts';

export interface GatewayDeps {
  /** Undefined when the installation has no signing secret. */
  capabilities: ModelCapabilities | undefined;
  registry: ProviderRegistry;
  models: Models;
  budget: (sessionId: SessionId) => CallBudget;
  limits?: GatewayLimits | undefined;
}

/** Timeouts for a hanging provider: without them the agent would wait forever and the call would never be settled. */
export interface GatewayLimits {
  headersMs: number;
  idleMs: number;
  heartbeatMs: number;
  /** Must be shorter than the lifetime of a reservation. */
  maxDurationMs: number;
}

const DEFAULT_LIMITS: GatewayLimits = {
  headersMs: 120_000,
  idleMs: 150_000,
  heartbeatMs: 5_000,
  maxDurationMs: 25 * 60_000,
};

export type WaitUntil = (work: Promise<unknown>) => void;

/** `/gateway/models/<provider>/…`: a sandbox's only access to models. Reserves budget, adds the key, meters and settles. */
export class ModelGateway {
  readonly #deps: GatewayDeps;
  readonly #limits: GatewayLimits;
  readonly #rateLimiter = new CallRateLimiter();

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? DEFAULT_LIMITS;
  }

  async handle(request: Request, waitUntil: WaitUntil): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, , , providerId = '', ...rest] = pathname.split('/');
    const path = rest.join('/');
    const shape = shapeOf(path);
    try {
      const { sessionId, ...claims } = await this.#authenticate(request);
      const waitSec = this.#rateLimiter.take(sessionId, Date.now());
      if (waitSec > 0) return refuse(shape, RATE_LIMITED, waitSec);
      const provider = await this.#deps.registry.require(providerId);
      const protocol = PROTOCOLS[provider.info.protocol];
      if (request.method !== 'POST' || path !== protocol.path)
        wrongPath(request, provider, protocol);
      const body = await readCall(request);
      const bearer = bearerOf(claims, request.headers);
      const call = await openCall(this.#deps, { sessionId, bearer, provider, protocol, body });
      return await this.#forward(request, call, waitUntil);
    } catch (thrown) {
      return refuse(shape, errorOf(thrown));
    }
  }

  async #authenticate(request: Request): Promise<ModelClaims> {
    const { capabilities } = this.#deps;
    if (capabilities === undefined)
      return fail(
        'not-configured',
        'The model gateway has no secret to verify capabilities.',
        'Start Ship with `ship up`, or run `wrangler secret put GATEWAY_SECRET`.',
      );
    const claims = await capabilities.verify(capabilityIn(request), Date.now());
    if (claims !== undefined) return claims;
    return fail(
      'unauthenticated',
      'This needs a valid capability of a session.',
      'Only a sandbox of a session has one; it may have expired.',
    );
  }

  async #forward(request: Request, call: Call, waitUntil: WaitUntil): Promise<Response> {
    const { provider, protocol } = call;
    const upstream = new AbortController();
    const ended = Promise.withResolvers<void>();
    // The client may disconnect at any moment; its call must still be settled.
    waitUntil(ended.promise);
    const settle = async (cost: CallCost): Promise<void> => {
      try {
        await call.budget.settle(call.callId, cost);
      } catch (thrown) {
        // Log only: the reservation expires and counts in full.
        errorOf(thrown);
      } finally {
        ended.resolve();
      }
    };
    // The client has already disconnected: no abort event will follow.
    if (request.signal.aborted) {
      await settle(NO_COST);
      return refuse(protocol, upstreamFailure(request.signal.reason));
    }
    const clock = new CallClock(call);
    const outcome = await this.#callProvider(request, call, upstream).then(
      (response) => ({ response }),
      (thrown: unknown) => ({ failure: upstreamFailure(thrown) }),
    );
    if ('failure' in outcome) {
      await settle(clock.unanswered(upstream.signal.aborted));
      return refuse(protocol, outcome.failure);
    }
    const { response } = outcome;
    const secrets = secretsOf(provider);
    if (!response.ok) {
      const text = await readShort(response).catch(() => '');
      await settle(clock.refused(response.status));
      return passError(response, text, secrets);
    }
    const meter = protocol.meter();
    const body = relay(response, {
      meter,
      secrets,
      ...this.#limits,
      truncatedEvent: protocol.errorEvent(TRUNCATED),
      abort: () => upstream.abort(),
      signal: upstream.signal,
      onEnd: (isComplete) => settle(clock.answered(meter, isComplete)),
    });
    if (body === null) await settle(clock.answered(meter, false));
    const headers = responseHeaders(response, (value) => redactExact(value, secrets));
    return new Response(body, { status: response.status, headers });
  }

  async #callProvider(request: Request, call: Call, upstream: AbortController): Promise<Response> {
    const { provider, protocol, body } = call;
    const timer = setTimeout(
      () => upstream.abort(new DOMException('', 'TimeoutError')),
      this.#limits.headersMs,
    );
    // Keep the listener until the response has ended: only it notices a client that resets its connection.
    request.signal.addEventListener('abort', () => upstream.abort());
    try {
      return await operatorFetch(`${provider.info.baseUrl}/${protocol.path}`, {
        method: 'POST',
        headers: requestHeaders(provider, request),
        body,
        // A redirect would send the key to another server.
        redirect: 'manual',
        signal: upstream.signal,
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Agents retry errors whose message says "unavailable". */
const TRUNCATED = {
  code: 'unavailable',
  message: 'The model provider is unavailable: its response was cut off.',
};

const RATE_LIMITED = shipError(
  'rate-limited',
  'This session calls models too fast.',
  'It is retried automatically after a pause.',
);

function wrongPath(request: Request, { info }: Provider, { path }: WireProtocol): never {
  return fail(
    'not-found',
    `The model gateway accepts only POST /gateway/models/${info.providerId}/${path}.`,
    `${request.method} on this path is not available; use the one above.`,
  );
}

function upstreamFailure(thrown: unknown) {
  const name = thrown instanceof Error ? thrown.name : '';
  const isTimeout = name === 'TimeoutError' || name === 'AbortError';
  return classify({ boundary: 'model', code: isTimeout ? 'ETIMEDOUT' : 'ECONNREFUSED' });
}

/** Passes on the provider's status and text, with keys redacted; a redirect counts as an error. */
function passError(response: Response, text: string, secrets: readonly string[]): Response {
  const clean = (value: string): string => redactError(value, secrets);
  const status = response.status < 400 ? 502 : response.status;
  const headers = responseHeaders(response, clean);
  return new Response(clean(text), { status, headers });
}
