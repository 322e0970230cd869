import type { CallTokens, CapabilityBearer } from '@ship/core';
import { type ModelRef, ModelRef as ModelRefSchema, type SessionId, fail } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { KnownModel } from '../known-model.ts';
import type { JsonObject, Meter, PreparedCall, WireProtocol } from '../protocols/protocol.ts';
import { type Provider, stopsWhenLeft } from '../providers/provider.ts';
import type { CallCost, CallBudget } from '../budget/port.ts';
import { NO_COST, boundOf, costOf, reservationOf } from './estimate.ts';

export interface Call {
  callId: string;
  provider: Provider;
  protocol: WireProtocol;
  model: KnownModel;
  body: Uint8Array<ArrayBuffer>;
  isStream: boolean;
  bound: CallTokens;
  budget: CallBudget;
}

export interface CallDeps {
  models: { describe(provider: Provider, modelId: string): Promise<KnownModel> };
  budget: (sessionId: SessionId) => CallBudget;
}

interface CallRequest {
  sessionId: SessionId;
  /** The calling sandbox; null for a question of Ship itself. */
  bearer: CapabilityBearer | null;
  provider: Provider;
  protocol: WireProtocol;
  body: JsonObject;
}

/** Reserves budget. After this the call must be settled, however it ends. */
export async function openCall(
  { models, budget: budgetOf }: CallDeps,
  { sessionId, bearer, provider, protocol, body: requested }: CallRequest,
): Promise<Call> {
  const prepared = protocol.prepare(requested, { askCost: provider.reportsCost });
  const ref = refOf(provider, prepared);
  const model = await models.describe(provider, prepared.modelId);
  // Serialize again: with a duplicate field, the gateway and the provider could read different values.
  const body = new Uint8Array(new TextEncoder().encode(JSON.stringify(prepared.body)));
  const callId = crypto.randomUUID();
  const budget = budgetOf(sessionId);
  const bound = boundOf(prepared, body.byteLength, model);
  unwrap(await budget.reserve({ callId, model: ref, ...reservationOf(bound, model) }, bearer));
  return { callId, provider, protocol, model, body, isStream: prepared.isStream, bound, budget };
}

/** A connection that fails this early never carried the request; a later loss may have. */
const UNSENT_MS = 5_000;
/** Statuses of a proxy that timed out: the model may have continued. */
const PROXY_TIMEOUTS = [408, 504, 524];

/** Computes the cost of a call for each way in which it can end, measured from when it is sent. */
export class CallClock {
  readonly #call: Call;
  readonly #sentAt = Date.now();

  constructor(call: Call) {
    this.#call = call;
  }

  /** No response: Ship or the client gave up, or the connection failed. */
  unanswered(isAborted: boolean): CallCost {
    const isUnsent = !isAborted && Date.now() - this.#sentAt < UNSENT_MS;
    return isUnsent ? NO_COST : this.answered(this.#call.protocol.meter(), false);
  }

  refused(status: number): CallCost {
    return PROXY_TIMEOUTS.includes(status) ? this.unanswered(true) : NO_COST;
  }

  answered(meter: Meter, isComplete: boolean): CallCost {
    const { bound, model, provider, isStream } = this.#call;
    return costOf({ bound, model, trustsReportedCost: provider.reportsCost }, meter, {
      isComplete,
      elapsedMs: Date.now() - this.#sentAt,
      stopsWhenLeft: isStream && stopsWhenLeft(provider),
    });
  }
}

function refOf({ info }: Provider, { modelId }: PreparedCall): ModelRef {
  const ref = ModelRefSchema.safeParse(`${info.providerId}/${modelId}`);
  if (ref.success) return ref.data;
  return fail(
    'invalid-input',
    'This is not a valid model name.',
    'Send a name that GET /api/models lists.',
  );
}
