export interface ServerSentEvent {
  type: string;
  data: string;
}

/** Bounds the buffer for a line that never ends; a session's pages are much smaller. */
const MAX_LINE_CHARS = 16_000_000;

/** Parses server-sent events from text chunks of any size. */
export class SseParser {
  #rest = '';
  #type = '';
  #data: string[] = [];

  push(text: string): ServerSentEvent[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_LINE_CHARS) throw new Error('a line of the stream is too long');
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#type = value;
    if (field === 'data') this.#data.push(value);
    return undefined;
  }

  #dispatch(): ServerSentEvent | undefined {
    const event = { type: this.#type || 'message', data: this.#data.join('\n') };
    const hasData = this.#data.length > 0;
    this.#type = '';
    this.#data = [];
    return hasData ? event : undefined;
  }
}
