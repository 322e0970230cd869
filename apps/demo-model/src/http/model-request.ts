/** Serves one model request and records it in the ledger. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ZodError } from 'zod';
import type { Failure } from '../answer.ts';
import type { Clock } from '../clock.ts';
import type { Conversation } from '../conversation.ts';
import { type Ledger, type LedgerEntry, NO_USAGE } from '../ledger/ledger.ts';
import { costPicoUsd, toUsd } from '../ledger/price.ts';
import type { Protocol } from '../protocols/protocol.ts';
import { type SelectedReply, selectReply } from '../script/select-reply.ts';
import type { Script } from '../script/script.ts';
import { fingerprint, keyOf, sessionOf } from './client.ts';
import { composeAnswer } from './compose-answer.ts';
import type { FaultCounter } from './fault-counter.ts';
import { MAX_HANG_MS, sendBody, sendStream } from './send-answer.ts';
import { SERVER_ERROR, refusalFor, unknownModel, wrongKey } from './refusal.ts';
import { sendJson } from './send-json.ts';

export interface ServerDeps {
  script: Script;
  ledger: Ledger;
  faults: FaultCounter;
  clock: Clock;
  /** When set, any other key is refused. */
  apiKey: string | undefined;
}

interface Exchange {
  protocol: Protocol;
  request: IncomingMessage;
  response: ServerResponse;
  signal: AbortSignal;
}

export async function serveModelRequest(
  deps: ServerDeps,
  exchange: Exchange,
  body: unknown,
): Promise<void> {
  const parsed = parseRequest(deps, exchange, body);
  if (!parsed.ok) {
    refuse(exchange, parsed.failure);
    return;
  }
  const { conversation, selected } = parsed;
  const entry = openEntry(deps, exchange, conversation, selected);
  deps.ledger.add(entry);
  try {
    await respond(deps, exchange, conversation, selected, entry);
  } finally {
    // A disconnected client must not leave a ledger entry that is running forever.
    if (entry.outcome === 'running') entry.outcome = 'aborted';
    entry.durationMs = deps.clock.nowMs() - entry.atMs;
  }
}

type ParsedRequest =
  | { ok: true; conversation: Conversation; selected: SelectedReply }
  | { ok: false; failure: Failure };

function parseRequest(
  deps: ServerDeps,
  { protocol, request }: Exchange,
  body: unknown,
): ParsedRequest {
  if (deps.apiKey !== undefined && keyOf(request.headers) !== deps.apiKey) {
    return { ok: false, failure: wrongKey() };
  }
  try {
    const conversation = protocol.parse(body);
    return { ok: true, conversation, selected: selectReply(deps.script, conversation) };
  } catch (error) {
    if (error instanceof ZodError) {
      const problems = error.issues
        .slice(0, 3)
        .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
      const message = `Invalid request: ${problems.join('; ')}`;
      return { ok: false, failure: { status: 400, kind: 'invalid-request', message } };
    }
    // The code of a script may throw: fail this request, not the server.
    const message = `The script failed: ${error instanceof Error ? error.message : 'unknown'}`;
    return { ok: false, failure: { status: 500, kind: 'server-error', message } };
  }
}

async function respond(
  deps: ServerDeps,
  exchange: Exchange,
  conversation: Conversation,
  selected: SelectedReply,
  entry: LedgerEntry,
): Promise<void> {
  const { protocol, response, signal } = exchange;
  const fault = deps.faults.next(
    `${entry.session ?? conversationKey(conversation)}|${selected.rule}|${selected.step}`,
    selected.reply.faults,
  );
  entry.fault = fault?.kind ?? null;
  if (fault?.kind === 'hang-before-headers') {
    await deps.clock.sleep(fault.forMs ?? MAX_HANG_MS, signal);
    if (signal.aborted || fault.forMs === undefined) {
      entry.outcome = signal.aborted ? 'aborted' : 'broken';
      response.destroy();
      return;
    }
  }
  const model = deps.script.models.find((spec) => spec.id === conversation.model);
  const refusal =
    model === undefined
      ? unknownModel(deps.script, conversation.model)
      : refusalFor(deps.script, conversation, selected, model, fault);
  if (refusal !== null) {
    entry.outcome = 'refused';
    entry.status = refusal.status;
    refuse(exchange, refusal);
    return;
  }
  const answer = composeAnswer(conversation, selected, fault, entry);
  const message = fault?.message ?? SERVER_ERROR;
  const plan = {
    frames: protocol.frames(answer, { reportUsage: conversation.reportUsage }),
    errorFrame: protocol.errorFrame({ status: 500, kind: 'server-error', message }),
    fault,
    timing: selected.timing,
  };
  entry.status = 200;
  const sent = conversation.stream
    ? await sendStream(response, plan, deps.clock, signal)
    : await sendBody(response, protocol.body(answer), plan, deps.clock, signal);
  Object.assign(entry, sent);
  if (sent.outcome !== 'served') return;
  const price = model?.price ?? null;
  entry.usage = answer.usage;
  entry.costPicoUsd = price === null ? null : costPicoUsd(answer.usage, price);
  entry.costUsd = entry.costPicoUsd === null ? null : toUsd(entry.costPicoUsd);
}

function openEntry(
  deps: ServerDeps,
  { request, protocol }: Exchange,
  conversation: Conversation,
  selected: SelectedReply,
): LedgerEntry {
  return {
    seq: deps.ledger.nextSeq(),
    atMs: deps.clock.nowMs(),
    durationMs: 0,
    protocol: protocol.name,
    model: conversation.model,
    session: sessionOf(request.headers),
    keySha256: fingerprint(keyOf(request.headers)),
    kind: selected.kind,
    rule: selected.rule,
    step: selected.step,
    prompt: selected.prompt.slice(0, 200),
    tools: (selected.reply.calls ?? []).map((call) => call.tool),
    fault: null,
    outcome: 'running',
    status: 0,
    streamed: conversation.stream,
    writtenFragments: 0,
    usage: NO_USAGE,
    costPicoUsd: 0,
    costUsd: 0,
  };
}

function refuse({ response, protocol }: Exchange, failure: Failure): void {
  const headers =
    failure.retryAfterSec === undefined ? {} : { 'retry-after': String(failure.retryAfterSec) };
  sendJson(response, failure.status, protocol.errorBody(failure), headers);
}

/** Replaces a missing session id: conversations with the same first message count as one. */
function conversationKey(conversation: Conversation): string {
  return conversation.messages.find((message) => message.role === 'user')?.text.slice(0, 200) ?? '';
}
