/** One request to a model, from its body to its line in the ledger. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ZodError } from 'zod';
import type { Failure } from '../answer.ts';
import type { Clock } from '../clock.ts';
import type { Conversation } from '../conversation.ts';
import { type Ledger, type LedgerEntry, NO_USAGE } from '../ledger/ledger.ts';
import { costPicoUsd, toUsd } from '../ledger/price.ts';
import type { Protocol } from '../protocols/protocol.ts';
import { type Direction, direct } from '../script/direct.ts';
import type { Script } from '../script/script.ts';
import { fingerprint, keyOf, sessionOf } from './client.ts';
import { composeAnswer } from './compose.ts';
import type { FaultCounter } from './fault-counter.ts';
import { MAX_HANG_MS, playBody, playStream } from './play.ts';
import { SERVER_ERROR, refusalFor, unknownModel, wrongKey } from './refusal.ts';
import { sendJson } from './send-json.ts';

export interface Stage {
  script: Script;
  ledger: Ledger;
  faults: FaultCounter;
  clock: Clock;
  /** When given, any other key is refused. */
  apiKey: string | undefined;
}

interface Exchange {
  protocol: Protocol;
  request: IncomingMessage;
  response: ServerResponse;
  signal: AbortSignal;
}

export async function serveModelRequest(
  stage: Stage,
  exchange: Exchange,
  body: unknown,
): Promise<void> {
  const understood = understand(stage, exchange, body);
  if (!understood.ok) {
    refuse(exchange, understood.failure);
    return;
  }
  const { conversation, direction } = understood;
  const entry = openEntry(stage, exchange, conversation, direction);
  stage.ledger.add(entry);
  try {
    await perform(stage, exchange, conversation, direction, entry);
  } finally {
    // A client that left while the answer was written must not leave a line that runs for ever.
    if (entry.outcome === 'running') entry.outcome = 'aborted';
    entry.durationMs = stage.clock.nowMs() - entry.atMs;
  }
}

type Understood =
  | { ok: true; conversation: Conversation; direction: Direction }
  | { ok: false; failure: Failure };

function understand(stage: Stage, { protocol, request }: Exchange, body: unknown): Understood {
  if (stage.apiKey !== undefined && keyOf(request.headers) !== stage.apiKey) {
    return { ok: false, failure: wrongKey() };
  }
  try {
    const conversation = protocol.parse(body);
    return { ok: true, conversation, direction: direct(stage.script, conversation) };
  } catch (error) {
    if (error instanceof ZodError) {
      const places = error.issues
        .slice(0, 3)
        .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
      const message = `Invalid request: ${places.join('; ')}`;
      return { ok: false, failure: { status: 400, kind: 'invalid-request', message } };
    }
    // A script's own code may throw: that is an error of this request, not the end of the server.
    const message = `The script failed: ${error instanceof Error ? error.message : 'unknown'}`;
    return { ok: false, failure: { status: 500, kind: 'server-error', message } };
  }
}

async function perform(
  stage: Stage,
  exchange: Exchange,
  conversation: Conversation,
  direction: Direction,
  entry: LedgerEntry,
): Promise<void> {
  const { protocol, response, signal } = exchange;
  const fault = stage.faults.next(
    `${entry.session ?? firstWords(conversation)}|${direction.rule}|${direction.step}`,
    direction.reply.faults,
  );
  entry.fault = fault?.kind ?? null;
  if (fault?.kind === 'hang-before-headers') {
    await stage.clock.sleep(fault.forMs ?? MAX_HANG_MS, signal);
    if (signal.aborted || fault.forMs === undefined) {
      entry.outcome = signal.aborted ? 'aborted' : 'broken';
      response.destroy();
      return;
    }
  }
  const model = stage.script.models.find((spec) => spec.id === conversation.model);
  const refusal =
    model === undefined
      ? unknownModel(stage.script, conversation.model)
      : refusalFor(stage.script, conversation, direction, model, fault);
  if (refusal !== null) {
    entry.outcome = 'refused';
    entry.status = refusal.status;
    refuse(exchange, refusal);
    return;
  }
  const answer = composeAnswer(conversation, direction, fault, entry);
  const message = fault?.message ?? SERVER_ERROR;
  const performance = {
    frames: protocol.frames(answer, { reportUsage: conversation.reportUsage }),
    errorFrame: protocol.errorFrame({ status: 500, kind: 'server-error', message }),
    fault,
    timing: direction.timing,
  };
  entry.status = 200;
  const played = conversation.stream
    ? await playStream(response, performance, stage.clock, signal)
    : await playBody(response, protocol.body(answer), performance, stage.clock, signal);
  Object.assign(entry, played);
  if (played.outcome !== 'served') return;
  const price = model?.price ?? null;
  entry.usage = answer.usage;
  entry.costPicoUsd = price === null ? null : costPicoUsd(answer.usage, price);
  entry.costUsd = entry.costPicoUsd === null ? null : toUsd(entry.costPicoUsd);
}

function openEntry(
  stage: Stage,
  { request, protocol }: Exchange,
  conversation: Conversation,
  direction: Direction,
): LedgerEntry {
  return {
    seq: stage.ledger.nextSeq(),
    atMs: stage.clock.nowMs(),
    durationMs: 0,
    protocol: protocol.name,
    model: conversation.model,
    session: sessionOf(request.headers),
    keySha256: fingerprint(keyOf(request.headers)),
    kind: direction.kind,
    rule: direction.rule,
    step: direction.step,
    prompt: direction.prompt.slice(0, 200),
    tools: (direction.reply.calls ?? []).map((call) => call.tool),
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

/** Stands for the session where the client names none: conversations that begin alike count as one. */
function firstWords(conversation: Conversation): string {
  return conversation.messages.find((message) => message.role === 'user')?.text.slice(0, 200) ?? '';
}
