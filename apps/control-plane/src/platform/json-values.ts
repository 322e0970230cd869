const QUOTE = 34;
const BACKSLASH = 92;
const [COMMA, BRACE, BRACKET] = [44, 123, 91];

/**
 * Counts the values of JSON that comes in pieces, without parsing it: commas and opening brackets outside of texts. Parsing and
 * checking four megabytes of text takes a few milliseconds; of an object with 300,000 empty fields, a second.
 */
export function jsonValues(): (chunk: Uint8Array) => number {
  let isText = false;
  let isEscaped = false;
  return (chunk) => {
    let values = 0;
    let at = isEscaped ? 1 : 0;
    if (chunk.length > 0) isEscaped = false;
    while (at < chunk.length) {
      if (isText) {
        const end = textEnd(chunk, at);
        isText = end === -1;
        if (end === -1) isEscaped = isEscapedAt(chunk, chunk.length, at);
        at = end === -1 ? chunk.length : end + 1;
        continue;
      }
      const byte = chunk[at];
      if (byte === QUOTE) isText = true;
      else if (byte === COMMA || byte === BRACE || byte === BRACKET) values += 1;
      at += 1;
    }
    return values;
  };
}

/** Where the text that goes on at `from` ends; -1 when it does not end here. Nearly all of JSON is text: it is not walked through. */
function textEnd(chunk: Uint8Array, from: number): number {
  let at = chunk.indexOf(QUOTE, from);
  while (at !== -1 && isEscapedAt(chunk, at, from)) at = chunk.indexOf(QUOTE, at + 1);
  return at;
}

/** Whether an odd number of backslashes comes before it. */
function isEscapedAt(chunk: Uint8Array, at: number, from: number): boolean {
  let first = at;
  while (first > from && chunk[first - 1] === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}
