import type { Meter } from '../protocols/protocol.ts';
import { StreamRedactor } from '../../platform/redact.ts';
import { EventReader, parseObject } from './sse.ts';

export interface RelayParts {
  meter: Meter;
  secrets: readonly string[];
  /** The provider is silent for longer: it hangs. */
  idleMs: number;
  /** However busily it talks, it ends here. */
  lastsMs: number;
  /** A client that left is noticed only by writing to it: in silence a comment is written so often. */
  heartbeatMs: number;
  /** What tells the client, within a stream, that the answer broke off. */
  brokenEvent: string;
  /** Ends the request to the provider. */
  abort: () => void;
  /** Aborted when the client has left, or by `abort`. */
  signal: AbortSignal;
  /** Once, before the client sees the end: when it asks again, this call is paid for. Complete when the provider ended it. */
  onEnd: (isComplete: boolean) => Promise<void>;
}

/** A whole answer beyond this is passed on and not read. */
const MAX_BODY_CHARS = 16 * 1024 * 1024;
/** What every reader of server-sent events skips. */
const COMMENT = ': still there\n\n';

/** Passes an answer on piece by piece, as it comes and not faster than it is taken, and meters it on the way. */
export function relay(answer: Response, parts: RelayParts): ReadableStream<Uint8Array> | null {
  if (answer.body === null) return null;
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const redactor = new StreamRedactor(parts.secrets);
  const isEvents = answer.headers.get('content-type')?.includes('text/event-stream') === true;
  const metered = isEvents
    ? new EventReader((event) => parts.meter.onEvent(event))
    : new BodyReader(parts.meter);
  let reading: ReturnType<typeof reader.read> | undefined;
  const deadline = Date.now() + parts.lastsMs;
  let silentMs = 0;
  let isBetweenEvents = isEvents;
  let ending: Promise<void> | undefined;

  const end = async (isComplete: boolean): Promise<void> => {
    if (ending === undefined) {
      metered.end();
      ending = parts.onEnd(isComplete);
    }
    await ending;
  };

  // A client that leaves between the headers and the first read: the platform neither pulls nor cancels the stream then,
  // and the call would stay open until its reservation runs out.
  const onAbort = () => void end(false);
  if (parts.signal.aborted) onAbort();
  else parts.signal.addEventListener('abort', onAbort, { once: true });

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          for (;;) {
            reading ??= reader.read();
            const result = await within(reading, parts.heartbeatMs);
            if (result === undefined) {
              silentMs += parts.heartbeatMs;
              if (silentMs >= parts.idleMs) throw new Error('The provider is silent.');
              if (!isBetweenEvents) continue;
              controller.enqueue(encoder.encode(COMMENT));
              return;
            }
            if (Date.now() > deadline) throw new Error('The answer takes too long.');
            reading = undefined;
            silentMs = 0;
            const { done, value } = result;
            const piece = done ? decoder.decode() : decoder.decode(value, { stream: true });
            metered.push(piece);
            const text = redactor.push(piece) + (done ? redactor.end() : '');
            if (text !== '') controller.enqueue(encoder.encode(text));
            isBetweenEvents = isEvents && /(\r\n|\n)\1$/.test(text);
            if (done) {
              await end(true);
              controller.close();
            }
            if (done || text !== '') return;
          }
        } catch (thrown) {
          parts.abort();
          await end(false);
          // The platform ends a broken stream as if it were complete; the agent would take half an answer for a whole.
          if (isEvents)
            controller.enqueue(
              encoder.encode(`${isBetweenEvents ? '' : '\n\n'}${parts.brokenEvent}`),
            );
          if (isEvents) controller.close();
          else controller.error(thrown);
        }
      },
      async cancel() {
        parts.abort();
        await end(false);
      },
    },
    // Nothing is fetched ahead of the reader.
    { highWaterMark: 0 },
  );
}

/** A whole answer, which says at its end what it used. */
class BodyReader {
  readonly #meter: Meter;
  #text = '';

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  push(piece: string): void {
    if (this.#text.length <= MAX_BODY_CHARS) this.#text += piece;
  }

  end(): void {
    const body = parseObject(this.#text);
    if (body !== undefined) this.#meter.onBody(body);
  }
}

/** Undefined when it takes longer. */
async function within<Value>(work: Promise<Value>, limitMs: number): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
