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

export interface CallParts {
  models: { describe(provider: Provider, modelId: string): Promise<KnownModel> };
  budget: (sessionId: SessionId) => CallBudget;
}

interface CallWish {
  sessionId: SessionId;
  /** The sandbox that asks; null for a question of Ship's own. */
  bearer: CapabilityBearer | null;
  provider: Provider;
  protocol: WireProtocol;
  body: JsonObject;
}

/** Reserves the money. From here on the call must be settled, however it ends. */
export async function openCall(
  { models, budget: budgetOf }: CallParts,
  { sessionId, bearer, provider, protocol, body: asked }: CallWish,
): Promise<Call> {
  const prepared = protocol.prepare(asked, { askCost: provider.reportsCost });
  const ref = refOf(provider, prepared);
  const model = await models.describe(provider, prepared.modelId);
  // Written again: of a body with the same field twice, we and the provider might each see another one.
  const body = new Uint8Array(new TextEncoder().encode(JSON.stringify(prepared.body)));
  const callId = crypto.randomUUID();
  const budget = budgetOf(sessionId);
  const bound = boundOf(prepared, body.byteLength, model);
  unwrap(await budget.reserve({ callId, model: ref, ...reservationOf(bound, model) }, bearer));
  return { callId, provider, protocol, model, body, isStream: prepared.isStream, bound, budget };
}

/** A connection that fails at once never carried the request; one that is lost later may have. */
const UNSENT_MS = 5_000;
/** Statuses by which a server in between says that it gave up waiting: the model may have gone on. */
const GAVE_UP = [408, 504, 524];

/** Knows what a call costs at each point at which it can end, from the moment at which it is sent. */
export class CallClock {
  readonly #call: Call;
  readonly #sentAt = Date.now();

  constructor(call: Call) {
    this.#call = call;
  }

  /** No answer came: we or the client gave up, or the connection failed. */
  unanswered(isAborted: boolean): CallCost {
    const isUnsent = !isAborted && Date.now() - this.#sentAt < UNSENT_MS;
    return isUnsent ? NO_COST : this.answered(this.#call.protocol.meter(), false);
  }

  refused(status: number): CallCost {
    return GAVE_UP.includes(status) ? this.unanswered(true) : NO_COST;
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
    'That is no name of a model.',
    'Send one that GET /api/models lists.',
  );
}
