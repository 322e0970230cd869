import { type ModelRef, ModelRef as ModelRefSchema, type SessionId, fail } from '@ship/protocol';
import { unwrap } from '../../platform/outcome.ts';
import type { KnownModel } from '../known-model.ts';
import type { JsonObject, PreparedCall, WireProtocol } from '../protocols/protocol.ts';
import type { Provider } from '../providers/provider.ts';
import type { Purse } from '../purse/port.ts';
import { estimateCall, promptChars } from './estimate.ts';

export interface Call {
  callId: string;
  provider: Provider;
  protocol: WireProtocol;
  model: KnownModel;
  text: string;
  /** How long `text` counts to be. */
  chars: number;
  purse: Purse;
}

export interface CallParts {
  models: { describe(provider: Provider, modelId: string): Promise<KnownModel> };
  purse: (sessionId: SessionId) => Purse;
}

interface CallWish {
  sessionId: SessionId;
  provider: Provider;
  protocol: WireProtocol;
  body: JsonObject;
}

/** Reserves the money. From here on the call must be settled, however it ends. */
export async function openCall(
  { models, purse: purseOf }: CallParts,
  { sessionId, provider, protocol, body }: CallWish,
): Promise<Call> {
  const prepared = protocol.prepare(body, { askCost: provider.reportsCost });
  const ref = refOf(provider, prepared);
  const model = await models.describe(provider, prepared.modelId);
  // Written anew: of a body with the same field twice, we and the provider might each see another one.
  const text = JSON.stringify(prepared.body);
  const callId = crypto.randomUUID();
  const purse = purseOf(sessionId);
  const chars = promptChars(text);
  const estimate = estimateCall(prepared, chars, model);
  unwrap(await purse.reserve({ callId, model: ref, ...estimate }));
  return { callId, provider, protocol, model, text, chars, purse };
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
