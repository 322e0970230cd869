import { type ModelRef, type SessionId, fail } from '@ship/protocol';
import { operatorFetch } from '../platform/outbound.ts';
import { redactExact } from '../platform/redact.ts';
import { readShort } from './gateway/body.ts';
import { type CallDeps, CallClock, openCall } from './gateway/open-call.ts';
import { parseObject } from './gateway/sse.ts';
import { authHeaders } from './gateway/upstream-headers.ts';
import { PROTOCOLS } from './protocols/index.ts';
import type { Question } from './protocols/protocol.ts';
import { type Provider, secretsOf } from './providers/provider.ts';
import type { CallCost } from './budget/port.ts';
import { splitRef } from './split-ref.ts';

export interface Answered {
  text: string;
  cost: CallCost;
}

interface QuestionDeps extends CallDeps {
  registry: { require(providerId: string): Promise<Provider> };
}

/** Asks a model a question for Ship itself. The call is reserved, metered and charged to the session like the agent's. */
export async function askModel(
  deps: QuestionDeps,
  { sessionId, model, question }: { sessionId: SessionId; model: ModelRef; question: Question },
  signal: AbortSignal,
): Promise<Answered> {
  const { providerId, modelId } = splitRef(model);
  const provider = await deps.registry.require(providerId);
  const protocol = PROTOCOLS[provider.info.protocol];
  const body = protocol.question(modelId, question);
  const call = await openCall(deps, { sessionId, bearer: null, provider, protocol, body });
  const meter = protocol.meter();
  const clock = new CallClock(call);
  let cost: CallCost | undefined;
  try {
    const response = await operatorFetch(`${provider.info.baseUrl}/${protocol.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authHeaders(provider) },
      body: call.body,
      // A redirect would send the key to another server.
      redirect: 'manual',
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      cost = clock.refused(response.status);
      return fail(
        'unavailable',
        `The provider refused the call (status ${response.status}).`,
        'Retry later.',
      );
    }
    // From here on the call costs money, even if reading the response fails.
    cost = clock.answered(meter, false);
    const parsed = parseObject(await readShort(response));
    if (parsed === undefined)
      return fail('not-understood', 'The provider sent an unexpected response.', 'Retry later.');
    meter.onBody(parsed);
    cost = clock.answered(meter, true);
    return { text: redactExact(protocol.answerIn(parsed), secretsOf(provider)), cost };
  } finally {
    await call.budget.settle(call.callId, cost ?? clock.unanswered(signal.aborted));
  }
}
