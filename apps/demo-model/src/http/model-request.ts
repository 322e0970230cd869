/** One request to a model, from its body to its line in the ledger. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ZodError } from 'zod';
import type { Failure } from '../answer.ts';
import type { Clock } from '../clock.ts';
import type { Conversation } from '../conversation.ts';
import { type Ledger, type LedgerEntry, NO_USAGE } from '../ledger/ledger.ts';
import { costPicoUsd, toUsd } from '../ledger/price.ts';
import { promptTokens } from '../ledger/tokens.ts';
import type { Protocol } from '../protocols/protocol.ts';
import { type Direction, direct } from '../script/direct.ts';
import type { Fault } from '../script/fault.ts';
import type { ModelSpec, Script } from '../script/script.ts';
import { readTurn } from '../script/turn.ts';
import { composeAnswer } from './compose.ts';
import type { FaultCounter } from './fault-counter.ts';
import { MAX_HANG_MS, playBody, playStream } from './play.ts';
import { overflow, refusalOf } from './refusal.ts';
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

export async function serveModelRequest(stage: Stage, exchange: Exchange, body: unknown) {
  const { protocol, response } = exchange;
  if (stage.apiKey !== undefined && keyOf(exchange.request) !== stage.apiKey) {
    refuse(response, protocol, {
      status: 401,
      kind: 'unauthorized',
      message: 'Incorrect API key provided',
    });
    return;
  }
  const conversation = parseOrRefuse(body, exchange);
  if (conversation === null) return;
  const model = stage.script.models.find((spec) => spec.id === conversation.model);
  const direction = direct(stage.script, conversation);
  const entry = openEntry(stage, exchange, conversation, direction);
  stage.ledger.add(entry);
  const startedAtMs = entry.atMs;
  try {
    await answerOrRefuse(stage, exchange, conversation, direction, model, entry);
  } finally {
    entry.durationMs = stage.clock.nowMs() - startedAtMs;
  }
}

async function answerOrRefuse(
  stage: Stage,
  exchange: Exchange,
  conversation: Conversation,
  direction: Direction,
  model: ModelSpec | undefined,
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
  const refusal = refusalFor(stage.script, conversation, direction, model, fault);
  if (refusal !== null || model === undefined) {
    entry.outcome = 'refused';
    entry.status = refusal?.status ?? 500;
    if (refusal !== null) refuse(response, protocol, refusal);
    return;
  }
  const stamp = { seq: entry.seq, nowMs: entry.atMs };
  const answer = composeAnswer(conversation, direction, fault, stamp);
  const { reportUsage } = conversation;
  const performance = {
    frames: protocol.frames(answer, { reportUsage }),
    errorFrame: protocol.errorFrame({
      status: 500,
      kind: 'server-error',
      message: fault?.message ?? 'The server had an error while processing your request',
    }),
    fault,
    timing: direction.timing,
  };
  entry.status = 200;
  const played = conversation.stream
    ? await playStream(response, performance, stage.clock, signal)
    : await playBody(response, protocol.body(answer), performance, stage.clock, signal);
  entry.outcome = played.outcome;
  entry.writtenFragments = played.writtenFragments;
  if (played.outcome !== 'served') return;
  entry.usage = answer.usage;
  entry.costPicoUsd = model.price === null ? null : costPicoUsd(answer.usage, model.price);
  entry.costUsd = entry.costPicoUsd === null ? null : toUsd(entry.costPicoUsd);
}

function refusalFor(
  script: Script,
  conversation: Conversation,
  direction: Direction,
  model: ModelSpec | undefined,
  fault: Fault | null,
): Failure | null {
  if (model === undefined) {
    const known = script.models.map((spec) => spec.id).join(', ');
    return {
      status: 404,
      kind: 'unknown-model',
      message: `The model \`${conversation.model}\` does not exist; this server has: ${known}`,
    };
  }
  const tokens = promptTokens(conversation);
  const limit = model.contextTokens;
  if (fault !== null) {
    const refusal = refusalOf(fault, { tokens, limit });
    if (refusal !== null) return refusal;
  }
  if (tokens > limit) return overflow(tokens, limit);
  if (direction.rule !== null) return null;
  const rules = script.rules.map((rule) => rule.name).join(', ') || 'none';
  return {
    status: 400,
    kind: 'invalid-request',
    message: `No rule of the script "${script.name}" matches this prompt; its rules: ${rules}`,
  };
}

function openEntry(
  stage: Stage,
  { request, protocol }: Exchange,
  conversation: Conversation,
  direction: Direction,
): LedgerEntry {
  const key = keyOf(request);
  const session = request.headers['x-session-id'];
  return {
    seq: stage.ledger.nextSeq(),
    atMs: stage.clock.nowMs(),
    durationMs: 0,
    protocol: protocol.name,
    model: conversation.model,
    session: typeof session === 'string' ? session : null,
    keySha256: key === null ? null : createHash('sha256').update(key).digest('hex').slice(0, 12),
    kind: direction.kind,
    rule: direction.rule,
    step: direction.step,
    prompt: readTurn(conversation).prompt.slice(0, 200),
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

function parseOrRefuse(body: unknown, { protocol, response }: Exchange): Conversation | null {
  try {
    return protocol.parse(body);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const places = error.issues
      .slice(0, 3)
      .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
    refuse(response, protocol, {
      status: 400,
      kind: 'invalid-request',
      message: `Invalid request: ${places.join('; ')}`,
    });
    return null;
  }
}

function refuse(response: ServerResponse, protocol: Protocol, failure: Failure): void {
  const headers =
    failure.retryAfterSec === undefined ? {} : { 'retry-after': String(failure.retryAfterSec) };
  sendJson(response, failure.status, protocol.errorBody(failure), headers);
}

/** Bearer for OpenAI's protocols, `x-api-key` for Anthropic's. */
function keyOf(request: IncomingMessage): string | null {
  const own = request.headers['x-api-key'];
  if (typeof own === 'string') return own;
  return /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** Stands for the session where the client names none: conversations that begin alike count as one. */
function firstWords(conversation: Conversation): string {
  return conversation.messages.find((message) => message.role === 'user')?.text.slice(0, 200) ?? '';
}
