import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskedAgent } from '../agent/masked.ts';
import type { Agent, AgentSignal } from '../agent/port.ts';
import { maskFor } from './mask.ts';

const SECRET = 'hunter2-and-more';
const KEY = '-----BEGIN KEY-----\nfirst-line-of-it\nlast-line-of-it\n-----END KEY-----\n';

async function maskedSignals(signals: AgentSignal[]): Promise<AgentSignal[]> {
  const speaking: Pick<Agent, 'signals'> = {
    async *signals() {
      yield* signals;
    },
  };
  // The mask uses no other method.
  const agent = maskedAgent(speaking as Agent, maskFor([SECRET]));
  const seen: AgentSignal[] = [];
  const never = new AbortController().signal;
  for await (const signal of agent.signals(never, () => undefined)) seen.push(signal);
  return seen;
}

describe('mask', () => {
  it('[SR3] no text, however deep, keeps a value, a line of one, or its escaped form', () => {
    const mask = maskFor([SECRET, 'a"b\\c"d', KEY, 'short', `${SECRET}-longer`]);
    const clean = mask.all({
      list: [{ deep: `x${SECRET}y`, count: 3, none: null }],
      key: 'it has last-line-of-it in it',
      short: 'short words stay',
      longer: `${SECRET}-longer`,
    });
    expect(clean).toEqual({
      list: [{ deep: 'x[redacted]y', count: 3, none: null }],
      key: 'it has [redacted] in it',
      short: 'short words stay',
      longer: '[redacted]',
    });
    expect(mask.json(JSON.stringify({ a: 'a"b\\c"d' }))).toBe('{"a":"[redacted]"}');
    expect(maskFor(['tiny', '']).isEmpty).toBe(true);
  });

  it('[SR3] a chunked value is never shown, not even its beginning', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(SECRET.length + 8), { maxLength: 5 }), async (cuts) => {
        const whole = `say ${SECRET} now`;
        const ends = [...new Set([...cuts, whole.length])].toSorted((a, b) => a - b);
        const signals: AgentSignal[] = ends.map((end, index) => ({
          kind: 'delta',
          sessionId: 's',
          partId: 'p',
          delta: whole.slice(ends[index - 1] ?? 0, end),
        }));
        const seen = await maskedSignals(signals);
        expect(seen.map((signal) => (signal.kind === 'delta' ? signal.delta : '')).join('')).toBe(
          'say [redacted] now',
        );
      }),
    );
    const text = { kind: 'text', sessionId: 's', partId: 'p', messageId: 'm', channel: 'text' };
    const [open] = await maskedSignals([
      { ...text, text: 'say hunter', isDone: false } as AgentSignal,
    ]);
    expect(open).toMatchObject({ text: 'say ' });
  });
});
