import { describe, expect, it } from 'vitest';
import { PushAllowance } from './push-allowance.ts';

const MB = 1024 ** 2;

describe('what a session may push', () => {
  const limits = { pushBytes: 3 * MB, sessionBytes: 5 * MB };

  it('[GG8] is bounded for one push', () => {
    const meter = new PushAllowance(limits).meter('ses_a');
    meter(2 * MB);
    meter(MB);
    expect(() => meter(1)).toThrow('a push may have 3 MB at most');
  });

  it('[GG8] is bounded for all pushes of a session together, at the same time too', () => {
    const allowance = new PushAllowance(limits);
    const [first, second] = [allowance.meter('ses_a'), allowance.meter('ses_a')];
    first(3 * MB);
    second(2 * MB);
    expect(() => second(1)).toThrow('this session has pushed 5 MB');
    expect(() => allowance.meter('ses_a')(1)).toThrow('begin a new one');
  });

  it('[GG8] is each session’s own', () => {
    const allowance = new PushAllowance(limits);
    expect(() => allowance.meter('ses_a')(6 * MB)).toThrow();
    expect(() => allowance.meter('ses_b')(3 * MB)).not.toThrow();
  });
});
