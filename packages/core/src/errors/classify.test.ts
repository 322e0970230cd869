import { ErrorCategory, ShipError } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FailureFacts, classify } from './classify.ts';

const boundary = fc.constantFrom('sandbox', 'model', 'git', 'forge', 'agent');

const section = (where: FailureFacts['boundary'], status = 401) =>
  classify({ boundary: where, status }).action?.section;

describe('error classification', () => {
  it.each<[FailureFacts, string, string]>([
    [{ boundary: 'sandbox', name: 'AuthenticationError' }, 'credentials-refused', 'user-action'],
    [{ boundary: 'sandbox', name: 'RateLimitError' }, 'rate-limited', 'transient'],
    [{ boundary: 'sandbox', name: 'ServiceBusyError' }, 'unavailable', 'transient'],
    [{ boundary: 'sandbox', name: 'NotEnoughSpaceError' }, 'out-of-space', 'persistent'],
    [{ boundary: 'sandbox', name: 'SandboxNotFoundError' }, 'gone', 'persistent'],
    [{ boundary: 'model', name: 'ProviderAuthError' }, 'credentials-refused', 'user-action'],
    [{ boundary: 'model', name: 'ContextOverflowError' }, 'conversation-too-long', 'user-action'],
    [{ boundary: 'model', name: 'ContentFilterError' }, 'content-refused', 'user-action'],
    [{ boundary: 'model', isRetryable: true }, 'unavailable', 'transient'],
    [{ boundary: 'model', isRetryable: true, status: 401 }, 'credentials-refused', 'user-action'],
    [{ boundary: 'sandbox', name: 'TemplateError' }, 'misconfigured', 'user-action'],
    [{ boundary: 'sandbox', code: 'ECONNREFUSED' }, 'unreachable', 'transient'],
    [{ boundary: 'model', code: 'UND_ERR_HEADERS_TIMEOUT' }, 'timed-out', 'transient'],
    [{ boundary: 'model', status: 401 }, 'credentials-refused', 'user-action'],
    [{ boundary: 'model', status: 402 }, 'payment-required', 'user-action'],
    [{ boundary: 'model', status: 429 }, 'rate-limited', 'transient'],
    [{ boundary: 'model', status: 500 }, 'unavailable', 'transient'],
    [{ boundary: 'forge', status: 404 }, 'gone', 'persistent'],
    [{ boundary: 'forge', status: 504 }, 'timed-out', 'transient'],
    [{ boundary: 'git', status: 507 }, 'out-of-space', 'persistent'],
    [{ boundary: 'agent', status: 400 }, 'internal', 'fatal'],
    [{ boundary: 'agent' }, 'internal', 'fatal'],
  ])('[EC1] %j is %s (%s)', (facts, code, category) => {
    expect(classify(facts)).toMatchObject({ code, category });
  });

  it('[EC1] a refused credential leads to where it is set', () => {
    expect(classify({ boundary: 'forge', status: 401 }).remedy).toContain('Settings → Forges');
    expect(classify({ boundary: 'model', status: 401 }).remedy).not.toContain('Forges');
    expect(section('forge')).toBe('forges');
    expect(section('git')).toBe('forges');
    expect(section('model')).toBe('models');
    expect(section('model', 402)).toBe('models');
    // The sandbox service's keys are environment variables, and a transient error needs no person.
    expect(section('sandbox')).toBeUndefined();
    expect(section('model', 503)).toBeUndefined();
  });

  it('[EC2] is total: any facts give a complete error', () => {
    const facts = fc.record(
      { boundary, name: fc.string(), status: fc.integer({ min: -1, max: 999 }), code: fc.string() },
      { requiredKeys: ['boundary'] },
    );
    fc.assert(
      fc.property(facts, (given) => {
        const error = classify(given);
        expect(ShipError.parse(error)).toEqual(error);
        expect(ErrorCategory.options).toContain(error.category);
      }),
    );
  });

  it('[EC2] names of Object.prototype are ordinary names', () => {
    expect(classify({ boundary: 'agent', name: 'constructor' }).code).toBe('internal');
  });
});
