import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonValues } from './json-values.ts';

const encoder = new TextEncoder();

function count(value: unknown, step = Infinity): number {
  const json = encoder.encode(JSON.stringify(value));
  const counted = jsonValues();
  let values = 0;
  for (let at = 0; at < json.length; at += step) values += counted(json.subarray(at, at + step));
  return values;
}

describe('values in JSON', () => {
  it('[OUT6] a string counts as one value, with any content', () => {
    expect(count(['",[{\\\\', 'b', { c: [] }])).toBe(5);
  });

  it('[OUT6] escapes do not end a string, wherever it is cut', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('"', '\\\\', ',', 'a') }));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (values, step) => {
        expect(count(values, step)).toBe(Math.max(1, values.length));
      }),
    );
  });

  it('[OUT6] every value counts, wherever the JSON is cut', () => {
    const cut = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), cut, (values, step) => {
        expect(count(values, step)).toBe(count(values));
        expect(count(values)).toBeGreaterThanOrEqual(values.length);
      }),
    );
  });
});
