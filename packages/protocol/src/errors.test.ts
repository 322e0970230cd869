import { describe, expect, it } from 'vitest';
import { ErrorBody, ErrorCategory, ShipError } from './error-schema.ts';
import { ERROR_CODES, ShipFailure, fail, httpStatusOf, shipError } from './errors.ts';
import { knownEvent } from './events/envelope.ts';
import { createId } from './ids.ts';

describe('errors', () => {
  it.each(ERROR_CODES)('[ER1] %s has one category and one HTTP status of an error', (code) => {
    const error = shipError(code, 'What happened.', 'What to do.');
    expect(ShipError.parse(error)).toEqual(error);
    expect(ErrorCategory.options).toContain(error.category);
    expect(httpStatusOf(code)).toBeGreaterThanOrEqual(400);
    expect(httpStatusOf(code)).toBeLessThan(600);
  });

  it('[ER2] only 429, 503 and 504 are transient: a client may automatically retry only those', () => {
    const transient = ERROR_CODES.filter(
      (code) => shipError(code, '', '').category === 'transient',
    );
    expect(transient.map(httpStatusOf).every((status) => [429, 503, 504].includes(status))).toBe(
      true,
    );
  });

  it('[ER4] an error carries the action that resolves it, through HTTP and events alike', () => {
    const action = { kind: 'open-settings', section: 'forges' } as const;
    const error = shipError('credentials-refused', 'No.', 'Set a token.', action);
    expect(ErrorBody.parse(JSON.parse(JSON.stringify({ error })))).toEqual({ error });
    const turnId = createId('turn');
    const data = { turnId, outcome: { kind: 'failed', error } };
    const event = { seq: 1, at: 0, type: 'turn.finished', version: 2, data };
    expect(knownEvent(event)?.data).toEqual(data);
    expect(() => fail('not-found', 'No.', 'Add it.', action)).toThrow(
      expect.objectContaining({ error: expect.objectContaining({ action }) }),
    );
  });

  it('[ER4] errors without an action, and with actions of a newer server, parse as errors without one', () => {
    const error = shipError('internal', 'No.', 'Retry.');
    expect('action' in error).toBe(false);
    expect(ShipError.parse(error)).toEqual(error);
    for (const action of [
      { kind: 'call-support' },
      { kind: 'open-settings', section: 'basement' },
      { kind: 'open-settings', section: '//evil.example' },
      'open-settings',
    ])
      expect(ShipError.parse({ ...error, action })).toEqual(error);
  });

  it('fail throws a failure that carries the error as data', () => {
    expect(() => fail('not-found', 'No such thing.', 'Look elsewhere.')).toThrow(ShipFailure);
  });
});
