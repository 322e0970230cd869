/** Invalid and unexpected values. */
import * as fc from 'fast-check';

/** Printable ASCII only, because client libraries insist on it. */
export const headerText = fc
  .string({ unit: 'grapheme-ascii', maxLength: 60 })
  .map((text) => text.trim());

export const nastySegment = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '%2f',
    '..%2f..%2fetc%2fpasswd',
    '%00',
    '%',
    '%zz',
    '%c0%ae',
    ';',
    '*',
    '~',
  ),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'null',
    'undefined',
    'NaN',
    '-1',
    '0',
    '1e309',
  ),
  fc.integer({ min: 1, max: 3 }).map((size) => 'A'.repeat(10 ** (size + 1))),
  fc
    .string({ unit: 'binary', maxLength: 20 })
    .map((text) => encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/g, '?'))),
);

export const wrongValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    '',
    [],
    {},
    [[]],
    'x'.repeat(5_000),
    '\0',
    '../../etc',
  ),
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(
    fc.constantFrom('__proto__', 'constructor', 'a', '=', ''),
    fc.jsonValue({ maxDepth: 1 }),
  ),
);

export function anyBody(json: fc.Arbitrary<unknown>): fc.Arbitrary<string | undefined> {
  const text = json.map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 6, arbitrary: text },
    { weight: 2, arbitrary: fc.tuple(text, fc.nat(40)).map(([whole, cut]) => whole.slice(0, cut)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant('['.repeat(20_000)) },
  );
}
