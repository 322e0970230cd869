import { classify } from '@ship/core';
import { type SessionId, fail, shipError } from '@ship/protocol';
import type { Models } from '../model-list.ts';
import { PROTOCOLS, shapeOf } from '../protocols/index.ts';
import type { WireProtocol } from '../protocols/protocol.ts';
import { type Provider, secretsOf } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { CallCost, CallBudget } from '../budget/port.ts';
import { readCall, readShort } from './body.ts';
import { type ModelCapabilities, type ModelClaims, presented } from './capability.ts';
import { NO_COST } from './estimate.ts';
import { type Call, CallClock, openCall } from './open-call.ts';
import { Pace } from './pace.ts';
import { operatorFetch } from '../../platform/outbound.ts';
import { bearerOf } from '../../platform/bearer.ts';
import { redactError, redactExact } from '../../platform/redact.ts';
import { errorOf, refuse } from './refusal.ts';
import { relay } from './relay.ts';
import { answerHeaders, requestHeaders } from './upstream-headers.ts';

export interface GatewayParts {
  /** Undefined when the installation has no secret to sign with. */
  capabilities: ModelCapabilities | undefined;
  registry: ProviderRegistry;
  models: Models;
  budget: (sessionId: SessionId) => CallBudget;
  limits?: GatewayLimits | undefined;
}

/** A provider that hangs is given up: the agent would wait for ever, and nobody would settle the call. */
export interface GatewayLimits {
  headersMs: number;
  idleMs: number;
  heartbeatMs: number;
  /** Less than a reservation is good for. */
  lastsMs: number;
}

const DEFAULT_LIMITS: GatewayLimits = {
  headersMs: 120_000,
  idleMs: 150_000,
  heartbeatMs: 5_000,
  lastsMs: 25 * 60_000,
};

export type WaitUntil = (work: Promise<unknown>) => void;

/** `/gateway/models/<provider>/…`: a sandbox's only way to models. It adds the key, meters, and asks the budget first. */
export class ModelGateway {
  readonly #parts: GatewayParts;
  readonly #limits: GatewayLimits;
  readonly #pace = new Pace();

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? DEFAULT_LIMITS;
  }

  async handle(request: Request, waitUntil: WaitUntil): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, , , providerId = '', ...rest] = pathname.split('/');
    const path = rest.join('/');
    const shape = shapeOf(path);
    try {
      const { sessionId, ...claims } = await this.#authenticate(request);
      const waitSec = this.#pace.take(sessionId, Date.now());
      if (waitSec > 0) return refuse(shape, TOO_FAST, waitSec);
      const provider = await this.#parts.registry.require(providerId);
      const protocol = PROTOCOLS[provider.info.protocol];
      if (request.method !== 'POST' || path !== protocol.path) notHere(request, provider, protocol);
      const body = await readCall(request);
      const bearer = bearerOf(claims, request.headers);
      const call = await openCall(this.#parts, { sessionId, bearer, provider, protocol, body });
      return await this.#forward(request, call, waitUntil);
    } catch (thrown) {
      return refuse(shape, errorOf(thrown));
    }
  }

  async #authenticate(request: Request): Promise<ModelClaims> {
    const { capabilities } = this.#parts;
    if (capabilities === undefined)
      return fail(
        'not-configured',
        'The model gateway has no secret to check capabilities with.',
        'Start Ship with `ship up`, or run `wrangler secret put GATEWAY_SECRET`.',
      );
    const claims = await capabilities.verify(presented(request), Date.now());
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
    // The client may leave at any moment; what it used is settled all the same.
    waitUntil(ended.promise);
    const settle = async (cost: CallCost): Promise<void> => {
      try {
        await call.budget.settle(call.callId, cost);
      } catch (thrown) {
        // Its reservation runs out and is counted whole.
        errorOf(thrown);
      } finally {
        ended.resolve();
      }
    };
    // A client that has left already: an abort that happened is announced to nobody.
    if (request.signal.aborted) {
      await settle(NO_COST);
      return refuse(protocol, upstreamFailure(request.signal.reason));
    }
    const clock = new CallClock(call);
    const asked = await this.#ask(request, call, upstream).then(
      (answer) => ({ answer }),
      (thrown: unknown) => ({ failure: upstreamFailure(thrown) }),
    );
    if ('failure' in asked) {
      await settle(clock.unanswered(upstream.signal.aborted));
      return refuse(protocol, asked.failure);
    }
    const { answer } = asked;
    const secrets = secretsOf(provider);
    if (!answer.ok) {
      const text = await readShort(answer).catch(() => '');
      await settle(clock.refused(answer.status));
      return passError(answer, text, secrets);
    }
    const meter = protocol.meter();
    const body = relay(answer, {
      meter,
      secrets,
      ...this.#limits,
      brokenEvent: protocol.errorEvent(BROKEN_OFF),
      abort: () => upstream.abort(),
      signal: upstream.signal,
      onEnd: (isComplete) => settle(clock.answered(meter, isComplete)),
    });
    if (body === null) await settle(clock.answered(meter, false));
    const headers = answerHeaders(answer, (value) => redactExact(value, secrets));
    return new Response(body, { status: answer.status, headers });
  }

  async #ask(request: Request, call: Call, upstream: AbortController): Promise<Response> {
    const { provider, protocol, body } = call;
    const timer = setTimeout(
      () => upstream.abort(new DOMException('', 'TimeoutError')),
      this.#limits.headersMs,
    );
    // Stays until the answer has ended: a client that resets its connection is noticed by this alone.
    request.signal.addEventListener('abort', () => upstream.abort());
    try {
      return await operatorFetch(`${provider.info.baseUrl}/${protocol.path}`, {
        method: 'POST',
        headers: requestHeaders(provider, request),
        body,
        // A redirect would take the key to another server.
        redirect: 'manual',
        signal: upstream.signal,
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Agents try again by themselves what they read to be "unavailable". */
const BROKEN_OFF = {
  code: 'unavailable',
  message: 'The model provider is unavailable: its answer broke off.',
};

const TOO_FAST = shipError(
  'rate-limited',
  'This session calls models too fast.',
  'It is tried again by itself after a pause.',
);

function notHere(request: Request, { info }: Provider, { path }: WireProtocol): never {
  return fail(
    'not-found',
    `The model gateway knows only POST /gateway/models/${info.providerId}/${path}.`,
    `${request.method} and other paths lead nowhere.`,
  );
}

function upstreamFailure(thrown: unknown) {
  const name = thrown instanceof Error ? thrown.name : '';
  const isLate = name === 'TimeoutError' || name === 'AbortError';
  return classify({ boundary: 'model', code: isLate ? 'ETIMEDOUT' : 'ECONNREFUSED' });
}

/** The provider's own status and words, without anything that looks like a key; a redirect is an error too. */
function passError(answer: Response, text: string, secrets: readonly string[]): Response {
  const clean = (value: string): string => redactError(value, secrets);
  const status = answer.status < 400 ? 502 : answer.status;
  const headers = answerHeaders(answer, clean);
  return new Response(clean(text), { status, headers });
}
