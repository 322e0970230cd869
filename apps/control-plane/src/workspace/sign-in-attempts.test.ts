import { describe, expect, it } from 'vitest';
import { SignInAttempts } from './sign-in-attempts.ts';

describe('SignInAttempts', () => {
  it('[AU13] ten failures in a minute block an address until the first is a minute old', () => {
    const attempts = new SignInAttempts();
    for (let i = 0; i < 10; i += 1) {
      expect(attempts.waitMs('a', 1_000 + i)).toBe(0);
      attempts.failed('a', 1_000 + i);
    }
    expect(attempts.waitMs('a', 2_000)).toBe(59_000);
    expect(attempts.waitMs('b', 2_000)).toBe(0);
    expect(attempts.waitMs('a', 60_999)).toBe(1);
    expect(attempts.waitMs('a', 61_000)).toBe(0);
  });

  it('[AU13] remembers a bounded number of addresses, the newest', () => {
    const attempts = new SignInAttempts();
    const block = (address: string) => {
      for (let i = 0; i < 10; i += 1) attempts.failed(address, 1);
    };
    block('first');
    for (let i = 0; i < 1_000; i += 1) attempts.failed(`address ${i}`, 2);
    expect(attempts.waitMs('first', 3)).toBe(0);
    block('last');
    expect(attempts.waitMs('last', 3)).toBeGreaterThan(0);
  });
});
