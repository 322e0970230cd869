import type { JsonObject } from '../protocols/protocol.ts';
import { isObject } from '../protocols/read.ts';

/** The last event of OpenAI's responses repeats the whole answer. Anything longer is not read. */
const MAX_LINE_CHARS = 8 * 1024 * 1024;

/** Finds the JSON of server-sent events in text that comes in pieces. What is broken is skipped. */
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

  /** The last line may lack its end. */
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
