/**
 * The SDK keeps what it has read of an event until its end comes, and looks through all of it again with every piece. The
 * largest honest events carry a file before and after an edit.
 */
const MAX_EVENT_BYTES = 4_000_000;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The same answer; its stream breaks off in an event that is too long. What was missed is then read from the history. */
export function withBoundedEvents(answer: Response, maxBytes = MAX_EVENT_BYTES): Response {
  if (answer.body === null) return answer;
  const event = new EventSize();
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (event.add(chunk) > maxBytes) throw new Error('an event of the agent is too long');
      controller.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(bounded), answer);
}

/** How many bytes there are of an event whose end has not come yet. An empty line ends it. */
class EventSize {
  #eventBytes = 0;
  #lineBytes = 0;
  #lastByte = LINE_FEED;

  add(chunk: Uint8Array): number {
    for (let start = 0; start < chunk.length;) {
      const at = chunk.indexOf(LINE_FEED, start);
      const end = at === -1 ? chunk.length : at;
      this.#lineBytes += end - start;
      this.#eventBytes += end - start + 1;
      if (end > start) this.#lastByte = chunk[end - 1] ?? LINE_FEED;
      if (at === -1) return this.#eventBytes;
      const isCarriageReturn = this.#lineBytes === 1 && this.#lastByte === CARRIAGE_RETURN;
      if (this.#lineBytes === 0 || isCarriageReturn) this.#eventBytes = 0;
      this.#lineBytes = 0;
      start = at + 1;
    }
    return this.#eventBytes;
  }
}
