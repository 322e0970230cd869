import { describe, expect, it } from 'vitest';
import { ErrorCategory, ShipError } from './error-schema.ts';
import { ERROR_CODES, ShipFailure, fail, httpStatusOf, shipError } from './errors.ts';

describe('errors', () => {
  it.each(ERROR_CODES)('[ER1] %s has one category and one HTTP status of an error', (code) => {
    const error = shipError(code, 'What happened.', 'What to do.');
    expect(ShipError.parse(error)).toEqual(error);
    expect(ErrorCategory.options).toContain(error.category);
    expect(httpStatusOf(code)).toBeGreaterThanOrEqual(400);
    expect(httpStatusOf(code)).toBeLessThan(600);
  });

  it('[ER2] only 429, 503 and 504 are transient: a client may repeat those and no others by itself', () => {
    const transient = ERROR_CODES.filter(
      (code) => shipError(code, '', '').category === 'transient',
    );
    expect(transient.map(httpStatusOf).every((status) => [429, 503, 504].includes(status))).toBe(
      true,
    );
  });

  it('fail throws a failure that carries the error as data', () => {
    expect(() => fail('not-found', 'No such thing.', 'Look elsewhere.')).toThrow(ShipFailure);
  });
});
