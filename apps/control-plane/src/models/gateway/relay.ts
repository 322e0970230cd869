import type { Meter } from '../protocols/protocol.ts';
import { StreamRedactor } from '../../platform/redact.ts';
import { EventReader, parseObject } from './sse.ts';

export interface RelayOptions {
  meter: Meter;
  secrets: readonly string[];
  /** A provider that is silent for longer hangs. */
  idleMs: number;
  /** Upper limit for a response, however active it is. */
  maxDurationMs: number;
  /** Writes a comment at this interval while the provider is silent: only a write detects a disconnected client. */
  heartbeatMs: number;
  /** The event that tells the client within a stream that the response was cut off. */
  truncatedEvent: string;
  /** Ends the request to the provider. */
  abort: () => void;
  /** Aborted when the client has disconnected, or by `abort`. */
  signal: AbortSignal;
  /** Called once, before the client sees the end: its next call must find this one settled. Complete when the provider ended it. */
  onEnd: (isComplete: boolean) => Promise<void>;
}

/** A longer non-streamed response is passed on unread. */
const MAX_BODY_CHARS = 16 * 1024 * 1024;
/** An SSE comment, which every reader skips. */
const COMMENT = ': still there\n\n';

/** Streams a response through with back pressure, redacts secrets and meters it. */
export function relay(
  response: Response,
  options: RelayOptions,
): ReadableStream<Uint8Array> | null {
  if (response.body === null) return null;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const redactor = new StreamRedactor(options.secrets);
  const isEvents = response.headers.get('content-type')?.includes('text/event-stream') === true;
  const metered = isEvents
    ? new EventReader((event) => options.meter.onEvent(event))
    : new BodyReader(options.meter);
  let reading: ReturnType<typeof reader.read> | undefined;
  const deadline = Date.now() + options.maxDurationMs;
  let silentMs = 0;
  let isBetweenEvents = isEvents;
  let ending: Promise<void> | undefined;

  const end = async (isComplete: boolean): Promise<void> => {
    if (ending === undefined) {
      metered.end();
      ending = options.onEnd(isComplete);
    }
    await ending;
  };

  // When a client disconnects between the headers and the first read, the platform neither pulls nor cancels the stream,
  // and the call would stay open until its reservation expires.
  const onAbort = () => void end(false);
  if (options.signal.aborted) onAbort();
  else options.signal.addEventListener('abort', onAbort, { once: true });

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          for (;;) {
            reading ??= reader.read();
            const result = await within(reading, options.heartbeatMs);
            if (result === undefined) {
              silentMs += options.heartbeatMs;
              if (silentMs >= options.idleMs) throw new Error('The provider is silent.');
              if (!isBetweenEvents) continue;
              controller.enqueue(encoder.encode(COMMENT));
              return;
            }
            if (Date.now() > deadline) throw new Error('The response takes too long.');
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
          options.abort();
          await end(false);
          // The platform ends a broken stream as if it were complete; the agent would treat half an answer as whole.
          if (isEvents)
            controller.enqueue(
              encoder.encode(`${isBetweenEvents ? '' : '\n\n'}${options.truncatedEvent}`),
            );
          if (isEvents) controller.close();
          else controller.error(thrown);
        }
      },
      async cancel() {
        options.abort();
        await end(false);
      },
    },
    // Never read ahead of the consumer.
    { highWaterMark: 0 },
  );
}

/** Buffers a non-streamed response to meter its usage. */
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

/** Resolves to undefined on timeout. */
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
