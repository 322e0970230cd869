import {
  type SessionEvent,
  VERIFICATION_EVENTS,
  VerificationState,
  createId,
} from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { sessionEvent } from '../session/event.ts';
import { NOT_VERIFIED_YET, evolveVerification, mayShipAsk } from './evolve.ts';

const fold = (events: readonly SessionEvent[], from = NOT_VERIFIED_YET) =>
  events.reduce(
    (state, event, at) => evolveVerification(state, { ...event, seq: at + 1, at }),
    from,
  );

const ran = (
  phase: 'before' | 'after',
  verdict: 'passed' | 'failed',
  turnId = createId('turn'),
): SessionEvent =>
  sessionEvent('verification.finished', {
    turnId,
    phase,
    command: 'npm test',
    source: 'package.json',
    verdict,
    exitCode: verdict === 'passed' ? 0 : 1,
    durationMs: 5,
    counts: null,
    failing: Array.from({ length: 50 }, (_, n) => `test ${n}`),
    link: null,
    output: 'x'.repeat(4096),
    outputBytes: 9000,
  });
const asked = (author: string, text = 'Do it') =>
  sessionEvent('prompt.queued', { promptId: createId('prm'), author, text });

describe('state of the verification', () => {
  it('[VF7] the first state of the repository is kept, and the newest outcome', () => {
    const state = fold([ran('before', 'failed'), ran('after', 'failed'), ran('after', 'passed')]);
    expect(state.before?.verdict).toBe('failed');
    expect(state.after?.verdict).toBe('passed');
    expect(fold([ran('before', 'passed')], state).before?.verdict).toBe('failed');
    expect(state.failedRounds).toBe(0);
  });

  it('[VF7] failing rounds are counted once per turn, until a person asks for something', () => {
    const turnId = createId('turn');
    const once = fold([asked('Ada'), ran('after', 'failed', turnId)]);
    expect(once.failedRounds).toBe(1);
    expect(fold([ran('after', 'failed', turnId)], once).failedRounds).toBe(1);
    const twice = fold([asked('Ship'), ran('after', 'failed')], once);
    expect(twice).toMatchObject({ failedRounds: 2, asked: ['Do it'] });
    expect(fold([asked('Ada', 'More')], twice)).toMatchObject({
      failedRounds: 0,
      asked: ['Do it', 'More'],
    });
  });

  it('[SE20] Ship asks the agent for at most 4 things in a row; a person starts the count again', () => {
    const state = fold([asked('Ada'), ...Array.from({ length: 3 }, () => asked('Ship'))]);
    expect(mayShipAsk(state)).toBe(true);
    const full = fold([asked('Ship')], state);
    expect(mayShipAsk(full)).toBe(false);
    expect(mayShipAsk(fold([asked('Ada')], full))).toBe(true);
    expect(mayShipAsk(NOT_VERIFIED_YET)).toBe(true);
  });

  it('[VF7] the state does not grow with the log, and is valid', () => {
    const events = Array.from({ length: 300 }, (_, n) => [
      asked('Ada', 'long '.repeat(2000)),
      ran(n % 2 === 0 ? 'before' : 'after', 'failed'),
    ]);
    const few = JSON.stringify(fold(events.slice(0, 20).flat())).length;
    const state = fold(events.flat());
    expect(JSON.stringify(state).length).toBeLessThanOrEqual(few + 50);
    expect(VerificationState.strict().parse(state)).toEqual(state);
    for (const event of events.flat())
      if (event.type === 'verification.finished')
        expect(VERIFICATION_EVENTS[event.type].data.safeParse(event.data).success).toBe(true);
  });
});
