import { ProviderRetryReason } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { retryReason } from './retry-reason.ts';

describe('[IN8] why the agent retries', () => {
  it.each([
    ['Rate limit reached for requests', 'rate-limited'],
    ['Too Many Requests', 'rate-limited'],
    ['Error 429: slow down', 'rate-limited'],
    ['Provider is overloaded', 'unavailable'],
    ['The model provider is unavailable: its response was cut off.', 'unavailable'],
    ['Internal server error', 'unavailable'],
    ['Bad Gateway', 'unavailable'],
    ['The model provider did not answer in time. It is tried again.', 'timed-out'],
    ['SSE read timed out', 'timed-out'],
    ['The model provider cannot be reached.', 'unreachable'],
    ['Unable to connect. Is the computer able to access the url?', 'unreachable'],
    ['read ECONNRESET', 'unreachable'],
    ['The server had an error while processing your request', 'unavailable'],
    ['The models gateway is not reachable right now; try again shortly.', 'unreachable'],
    ['{"code": half a JSON', 'unknown'],
    ['{"param":null}', 'unknown'],
    ['Something new', 'unknown'],
  ])('%j is %s', (message, kind) => {
    expect(retryReason(message)).toEqual({ kind, message });
  });

  it.each([
    '{"message":"The server had an error","type":"server_error","code":null}',
    '{"error":{"message":"The server had an error"}}',
  ])('keeps only the message of %s', (message) => {
    expect(retryReason(message)).toEqual({
      kind: 'unavailable',
      message: 'The server had an error',
    });
  });

  it('is null when the agent gives no reason', () => {
    expect(retryReason('')).toBeNull();
    expect(retryReason(' \n\u0000 ')).toBeNull();
  });

  it('removes keys, control characters and everything beyond a line', () => {
    const key = `sk-proj-${'a'.repeat(40)}`;
    const reason = retryReason(
      `\u001b[31mIncorrect\r\n\tkey ${key}\u202e Bearer ${key} ${'long '.repeat(1_000)}`,
    );
    expect(reason?.message).toMatch(/^\[31mIncorrect key \[redacted\] Bearer \[redacted\] long/);
    expect(reason?.message).not.toContain('aaaa');
    expect(ProviderRetryReason.parse(reason)).toEqual(reason);
  });

  it('masks a key that the limit would cut before the cut', () => {
    for (let length = 250; length < 320; length += 1) {
      const reason = retryReason(`${'x'.repeat(length)} sk-proj-${'b'.repeat(40)}`);
      expect(reason?.message).not.toContain('bbb');
    }
  });
});
