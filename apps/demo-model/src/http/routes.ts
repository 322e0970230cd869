import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Failure } from '../answer.ts';
import { openAiError } from '../protocols/chat/encode.ts';
import { protocolAt } from '../protocols/index.ts';
import type { ModelSpec } from '../script/script.ts';
import { type ServerDeps, serveModelRequest } from './model-request.ts';
import { readJsonBody } from './read-body.ts';
import { sendJson } from './send-json.ts';

export async function route(
  deps: ServerDeps,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const protocol = request.method === 'POST' ? protocolAt(url.pathname) : undefined;
  if (protocol !== undefined) {
    const body = await readJsonBody(request);
    if (body.ok) {
      await serveModelRequest(deps, { protocol, request, response, signal }, body.value);
    } else {
      const failure: Failure = { ...body, kind: 'invalid-request' };
      sendJson(response, body.status, protocol.errorBody(failure), { connection: 'close' });
    }
    return;
  }
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /v1/models':
    case 'GET /models':
      sendJson(response, 200, { object: 'list', data: deps.script.models.map(modelBody) });
      return;
    case 'GET /demo/ledger':
      sendJson(response, 200, deps.ledger.report(url.searchParams.get('session') ?? undefined));
      return;
    case 'DELETE /demo/ledger':
      deps.ledger.clear();
      deps.faults.clear();
      sendJson(response, 200, deps.ledger.report());
      return;
    case 'GET /':
      sendJson(response, 200, {
        name: 'demo-model',
        script: deps.script.name,
        about: 'A scripted demo model: its answers come from a script, not from a language model.',
      });
      return;
    default:
      sendJson(
        response,
        404,
        openAiError({
          status: 404,
          kind: 'invalid-request',
          message: `Unknown request: ${request.method} ${url.pathname}`,
        }),
      );
  }
}

/** OpenAI's fields, plus size and price, as OpenRouter and others add them. */
function modelBody(model: ModelSpec): unknown {
  return {
    id: model.id,
    object: 'model',
    created: 0,
    owned_by: 'demo-model',
    name: model.name,
    context_length: model.contextTokens,
    max_output_tokens: model.outputTokens,
    usd_per_million_tokens: model.price,
  };
}
