import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestId, SessionId, TurnId, createId, formatId, timeOfId } from './ids.ts';

describe('ids', () => {
  it('[ID1] have a prefix for their type, and are refused elsewhere', () => {
    const id = createId('ses');
    expect(SessionId.parse(id)).toBe(id);
    expect(TurnId.safeParse(id).error?.issues[0]?.message).toContain('"turn_"');
  });

  it('[ID2] sort by time and ignore the random part', () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
    const time = fc.integer({ min: 0, max: 2 ** 45 });
    fc.assert(
      fc.property(time, time, bytes, bytes, (a, b, x, y) => {
        fc.pre(a < b);
        expect(formatId('turn', a, x) < formatId('turn', b, y)).toBe(true);
        expect(timeOfId(formatId('turn', a, x))).toBe(a);
      }),
    );
  });

  it('[ID3] are safe in host names and git refs', () => {
    expect(createId('ses')).toMatch(/^ses_[0-9a-z]{26}$/);
  });

  it.each(['short', 'with space in it', 'x'.repeat(129), 'line\nbreak-line'])(
    'refuses request id %j',
    (text) => {
      expect(RequestId.safeParse(text).success).toBe(false);
    },
  );
});
