/** Compares failures of two runs: it removes times, addresses, folders and order, which differ between equal runs. */

const MAX_READ = 400_000;
const MAX_LINE = 500;

const NOISE: readonly (readonly [RegExp, string])[] = [
  // oxlint-disable-next-line no-control-regex -- escape sequences are what is removed
  [/\u001B\[[0-9;?]*[A-Za-z]/g, ''],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.]*(?:Z|[+-]\d\d:?\d\d)?/g, 'TIME'],
  [/\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b/g, 'TIME'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, 'ID'],
  [/\b0x[0-9a-f]+\b/gi, 'ADDRESS'],
  [/\b(seed|pid)\b([^\w\n]{0,4})\d+/gi, '$1$2N'],
  [/\b\d+(?:[.,]\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|m|min|minutes?)\b/g, 'DURATION'],
  [/(?:[A-Za-z]:)?(?:\/[\w.@+~-]+)+\//g, ''],
  [/\b(localhost|127\.0\.0\.1|\[::1?\]|0\.0\.0\.0):\d+/g, '$1:PORT'],
  // Line and column numbers change with every edit above them.
  [/(\.\w{1,5}):\d+(?::\d+)?/g, '$1'],
  [/\bline \d+/gi, 'line N'],
  [/\s+/g, ' '],
];

/** A short digest that is equal for equivalent outputs. */
export function outputDigest(output: string): string {
  const lines = output
    .slice(-MAX_READ)
    .replaceAll('\r', '\n')
    .split('\n')
    .map((line) =>
      NOISE.reduce((text, [noise, sign]) => text.replaceAll(noise, sign), line.slice(0, MAX_LINE)),
    )
    .map((line) => line.trim());
  const distinct = [...new Set(lines)].filter((line) => line !== '').toSorted();
  return hash(distinct.join('\n'));
}

const hex = (part: number): string => (part >>> 0).toString(16).padStart(8, '0');

/** A non-cryptographic 64-bit hash: it avoids accidental collisions, not attacks. */
function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ (code + i), 0x85ebca6b);
  }
  return hex(a) + hex(b);
}
