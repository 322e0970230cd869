/** Writes an answer to the client, with the timing and the fault of the script. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Frame } from '../answer.ts';
import type { Clock } from '../clock.ts';
import type { Fault } from '../script/fault.ts';

export interface AnswerPlan {
  frames: Frame[];
  /** Written instead of the next frame for an `error-in-stream` fault. */
  errorFrame: Frame;
  fault: Fault | null;
  timing: { firstTokenMs: number; tokensPerSecond: number };
}

export interface SendResult {
  outcome: 'served' | 'broken' | 'aborted';
  writtenFragments: number;
}

/** Maximum duration of a hang. */
export const MAX_HANG_MS = 6 * 3600 * 1000;

const MALFORMED_JSON = 'data: {"id":"demo","choices":[{"delta":{"content":"half a\n\n';
const MALFORMED_SSE = '<html><body><h1>502 Bad Gateway</h1></body></html>\n\n';

export async function sendStream(
  response: ServerResponse,
  plan: AnswerPlan,
  clock: Clock,
  signal: AbortSignal,
): Promise<SendResult> {
  const { frames, fault, timing } = plan;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  let writtenFragments = 0;
  const faultAt = fault === null ? -1 : faultIndex(frames, fault);
  await wait(clock, timing.firstTokenMs, signal);
  for (const [index, frame] of frames.entries()) {
    if (fault !== null && index === faultAt) {
      const broken = await breakStream(response, fault, plan.errorFrame, clock, signal);
      if (broken) return { outcome: signal.aborted ? 'aborted' : 'broken', writtenFragments };
    }
    if (frame.tokens > 0) await wait(clock, paceMs(frame, fault, timing.tokensPerSecond), signal);
    if (signal.aborted) return { outcome: 'aborted', writtenFragments };
    await write(response, frame.sse, signal);
    if (frame.tokens > 0) writtenFragments += 1;
  }
  return { outcome: await finish(response, signal), writtenFragments };
}

/**
 * The index of the frame before which a fault occurs. In a shorter answer the fault occurs after the last fragment, always
 * before the usage, as a broken answer has no cost.
 */
function faultIndex(frames: Frame[], fault: Fault): number {
  const limit = fragmentLimit(fault);
  if (limit === null) return -1;
  const pieces = frames.flatMap((frame, index) => (frame.tokens > 0 ? [index] : []));
  return pieces[limit] ?? (pieces.at(-1) ?? 0) + 1;
}

/** For clients without streaming: faults that break a stream break the body. */
export async function sendBody(
  response: ServerResponse,
  body: unknown,
  plan: AnswerPlan,
  clock: Clock,
  signal: AbortSignal,
): Promise<SendResult> {
  const { frames, fault, timing, errorFrame } = plan;
  const tokens = frames.reduce((sum, frame) => sum + frame.tokens, 0);
  const generationMs = timing.tokensPerSecond > 0 ? (tokens * 1000) / timing.tokensPerSecond : 0;
  await wait(clock, timing.firstTokenMs + generationMs, signal);
  if (signal.aborted) return { outcome: 'aborted', writtenFragments: 0 };
  const json = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json' });
  if (fault !== null && fragmentLimit(fault) !== null) {
    await write(response, json.slice(0, Math.floor(json.length / 2)), signal);
    await breakStream(response, fault, errorFrame, clock, signal);
    return { outcome: signal.aborted ? 'aborted' : 'broken', writtenFragments: 0 };
  }
  await write(response, json, signal);
  const writtenFragments = frames.filter((frame) => frame.tokens > 0).length;
  return { outcome: await finish(response, signal), writtenFragments };
}

/** The number of fragments before a fault; null for one that does not break the answer. */
function fragmentLimit(fault: Fault): number | null {
  return 'afterFragments' in fault ? fault.afterFragments : null;
}

/** Returns true when the answer ends here. */
async function breakStream(
  response: ServerResponse,
  fault: Fault,
  errorFrame: Frame,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  switch (fault.kind) {
    case 'hang-mid-stream':
      await wait(clock, fault.forMs ?? MAX_HANG_MS, signal);
      // A hang with `forMs` is a pause: the answer continues.
      return fault.forMs === undefined || signal.aborted;
    case 'cut-stream':
      await flushed(response);
      response.destroy();
      return true;
    case 'malformed-json':
    case 'malformed-sse':
    case 'error-in-stream':
      await write(response, malformedText(fault.kind, errorFrame), signal);
      response.end();
      return true;
    default:
      return false;
  }
}

function malformedText(
  kind: 'malformed-json' | 'malformed-sse' | 'error-in-stream',
  errorFrame: Frame,
): string {
  if (kind === 'malformed-json') return MALFORMED_JSON;
  return kind === 'malformed-sse' ? MALFORMED_SSE : errorFrame.sse;
}

function paceMs(frame: Frame, fault: Fault | null, tokensPerSecond: number): number {
  if (fault?.kind === 'slow-drip') return fault.everyMs;
  return tokensPerSecond > 0 ? (frame.tokens * 1000) / tokensPerSecond : 0;
}

async function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await clock.sleep(ms, signal);
}

/** Back pressure: waits for a slow reader instead of buffering the whole answer. */
async function write(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  await once(response, 'drain', { signal }).catch(() => undefined);
}

/**
 * Waits until the operating system has taken all written data. Node sends the first fragments in a later tick: a connection
 * that is closed earlier would carry none of them.
 */
async function flushed({ socket }: ServerResponse): Promise<void> {
  if (socket === null || socket.destroyed) return;
  await new Promise<void>((resolve) => socket.write('', () => resolve()));
}

/** `served` means that the operating system took all data, not only that it was queued. */
async function finish(
  response: ServerResponse,
  signal: AbortSignal,
): Promise<'served' | 'aborted'> {
  if (signal.aborted) return 'aborted';
  const ended = new Promise<boolean>((resolve) => {
    response.once('finish', () => resolve(true));
    response.once('close', () => resolve(response.writableFinished));
  });
  response.end();
  return (await ended) ? 'served' : 'aborted';
}
