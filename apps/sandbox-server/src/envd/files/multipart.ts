/** A streaming parser of multipart/form-data: memory stays constant, however large a part is. */

export interface Part {
  name: string;
  /** As sent: E2B's SDK puts the whole path here. */
  filename: string | undefined;
  /** Must be read to its end before the next part. */
  body: AsyncIterable<Buffer>;
}

export class MultipartError extends Error {}

const MAX_HEADER_BYTES = 16_384;
const BLANK_LINE = '\r\n\r\n';

export function boundaryOf(contentType: string): string | undefined {
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType);
  return match?.[1] ?? match?.[2];
}

const plain = (text: string | undefined): string | undefined =>
  text
    ?.replaceAll(/\\(["\\])/g, '$1')
    .replaceAll(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** `form-data; name="file"; filename="/a b.txt"`; browsers and undici write quotes and line ends as %22, %0D, %0A. */
export function parseDisposition(headers: string): { name: string; filename: string | undefined } {
  const line = headers.split('\r\n').find((row) => /^content-disposition:/i.test(row)) ?? '';
  const field = (key: string) =>
    new RegExp(`[;\\s]${key}="((?:[^"\\\\]|\\\\.)*)"`, 'i').exec(line)?.[1];
  const extended = /filename\*=UTF-8''([^;\s]+)/i.exec(line)?.[1];
  return {
    name: plain(field('name')) ?? '',
    filename: extended === undefined ? plain(field('filename')) : decodeURIComponent(extended),
  };
}

export async function* readMultipart(
  source: AsyncIterable<Buffer>,
  boundary: string,
): AsyncGenerator<Part> {
  const reader = new Reader(source);
  // The first delimiter has no preceding line end; prepending one makes all delimiters equal.
  reader.prepend(Buffer.from('\r\n'));
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  for await (const skipped of reader.until(delimiter)) void skipped;
  while (!(await reader.isAtEnd())) {
    const headers = await reader.take(Buffer.from(BLANK_LINE), MAX_HEADER_BYTES);
    const body = reader.until(delimiter);
    yield { ...parseDisposition(headers), body };
    for await (const unread of body) void unread;
  }
}

class Reader {
  readonly #source: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  prepend(bytes: Buffer): void {
    this.#buffer = Buffer.concat([bytes, this.#buffer]);
  }

  async #more(): Promise<void> {
    const next = await this.#source.next();
    if (next.done === true) throw new MultipartError('the body ended before its last boundary');
    this.#buffer =
      this.#buffer.length === 0 ? next.value : Buffer.concat([this.#buffer, next.value]);
  }

  /** Bytes up to a delimiter, which is consumed. A delimiter may be split between chunks. */
  async *until(delimiter: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#buffer.indexOf(delimiter);
      if (at >= 0) {
        const bytes = this.#buffer.subarray(0, at);
        this.#buffer = this.#buffer.subarray(at + delimiter.length);
        if (bytes.length > 0) yield bytes;
        return;
      }
      const safe = this.#buffer.length - delimiter.length + 1;
      if (safe > 0) {
        const bytes = this.#buffer.subarray(0, safe);
        this.#buffer = this.#buffer.subarray(safe);
        yield bytes;
      }
      await this.#more();
    }
  }

  async take(end: Buffer, maxBytes: number): Promise<string> {
    for (;;) {
      const at = this.#buffer.indexOf(end);
      if (at >= 0) {
        const text = this.#buffer.toString('utf8', 0, at);
        this.#buffer = this.#buffer.subarray(at + end.length);
        return text;
      }
      if (this.#buffer.length > maxBytes)
        throw new MultipartError(`part headers larger than ${maxBytes} bytes`);
      await this.#more();
    }
  }

  /** After a delimiter: `--` ends the body, a line end starts the next part. */
  async isAtEnd(): Promise<boolean> {
    while (this.#buffer.length < 2) await this.#more();
    const next = this.#buffer.toString('latin1', 0, 2);
    if (next === '--') return true;
    if (next !== '\r\n')
      throw new MultipartError('a boundary is followed by neither a part nor the end');
    return false;
  }
}
