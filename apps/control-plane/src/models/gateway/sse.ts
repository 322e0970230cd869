import type { JsonObject } from '../protocols/protocol.ts';
import { isObject } from '../protocols/read.ts';

/** The last event of OpenAI's responses repeats the whole answer. Longer lines are dropped. */
const MAX_LINE_CHARS = 8 * 1024 * 1024;

/** Extracts the JSON of server-sent events from chunked text. Skips invalid events. */
export class EventReader {
  readonly #onEvent: (event: JsonObject) => void;
  #line = '';

  constructor(onEvent: (event: JsonObject) => void) {
    this.#onEvent = onEvent;
  }

  push(piece: string): void {
    const lines = (this.#line + piece).split(/\r\n|\n|\r/);
    this.#line = lines.pop() ?? '';
    if (this.#line.length > MAX_LINE_CHARS) this.#line = '';
    for (const line of lines) this.#read(line);
  }

  /** Reads a last line without a newline. */
  end(): void {
    this.#read(this.#line);
    this.#line = '';
  }

  #read(line: string): void {
    if (!line.startsWith('data:')) return;
    const event = parseObject(line.slice('data:'.length));
    if (event !== undefined) this.#onEvent(event);
  }
}

export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
