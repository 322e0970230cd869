import {
  type Prompt,
  type PromptId,
  type SessionEvent,
  type TurnId,
  VERIFICATION_EVENTS,
  VerificationState,
  createId,
} from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { sessionEvent } from '../session/event.ts';
import { NOT_VERIFIED_YET, evolveVerification, mayPromptAgent } from './evolve.ts';

const fold = (
  events: readonly SessionEvent[],
  from = NOT_VERIFIED_YET,
  current: Prompt | null = null,
) =>
  events.reduce(
    (state, event, at) => evolveVerification(state, { ...event, seq: at + 1, at }, current),
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

const prompt = (text: string, author = 'Ada') => ({ promptId: createId('prm'), author, text });
const turn = (of: { promptId: PromptId }, attempt = 1, turnId = createId('turn')) =>
  sessionEvent('turn.started', { turnId, promptId: of.promptId, attempt, continues: false });
const said = (turnId: TurnId, text: string) =>
  sessionEvent('text.finished', {
    turnId,
    subagentId: null,
    partId: 'p',
    kind: 'text',
    text,
    isPartial: false,
    link: null,
  });

describe('state of the verification', () => {
  it('[VF7] the first run on the base and the newest result are kept', () => {
    const state = fold([ran('before', 'failed'), ran('after', 'failed'), ran('after', 'passed')]);
    expect(state.before?.verdict).toBe('failed');
    expect(state.after?.verdict).toBe('passed');
    expect(fold([ran('before', 'passed')], state).before?.verdict).toBe('failed');
    expect(state.failedRounds).toBe(0);
  });

  it('[VF7] failing rounds are counted once per turn, until a person’s next prompt', () => {
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

  it('[GN8] each prompt is one round with the agent’s last message and its failed calls', () => {
    const first = prompt('Add carts');
    const repair = prompt('Fix what `npm test` reports.', 'Ship');
    const again = createId('turn');
    let state = fold([turn(first)], NOT_VERIFIED_YET, first);
    state = fold(
      [
        turn(first, 2, again),
        said(again, 'Looking'),
        said(again, 'Done.\nChange: Add *carts*\nWhole change: Carts.\nConfidence: 80%'),
      ],
      state,
      first,
    );
    state = fold([turn(repair)], state, repair);
    expect(state.rounds).toMatchObject([
      { kind: 'person', asked: 'Add carts', said: 'Done.', change: 'Add *carts*', whole: 'Carts.' },
      { kind: 'repair', said: '', change: null, toolFailures: 0 },
    ]);
    for (let n = 0; n < 40; n += 1) {
      const more = prompt(`more ${n} ${'x'.repeat(3000)}`);
      state = fold([turn(more)], state, more);
    }
    expect(state.rounds).toHaveLength(16);
    expect(state.roundsLeftOut).toBe(26);
    expect(state.rounds?.[0]?.asked).toBe('Add carts');
    expect(VerificationState.strict().parse(state)).toEqual(state);
  });

  it('[VF13] a run gets the commit of its turn', () => {
    const turnId = createId('turn');
    const sha = 'a'.repeat(40);
    const state = fold([ran('after', 'passed', turnId)]);
    const named = sessionEvent('verification.committed', { turnId, sha });
    expect(fold([named], state).after?.commit).toBe(sha);
    const other = sessionEvent('verification.committed', { turnId: createId('turn'), sha });
    expect(fold([other], state).after?.commit).toBeUndefined();
  });

  it('[VF15] a withheld score removes the previous one, and a new score removes the reason', () => {
    const turnId = createId('turn');
    const scored = fold([sessionEvent('confidence.computed', { turnId, score: 80, parts: [] })]);
    const withheld = fold([sessionEvent('confidence.withheld', { turnId, reason: 'No.' })], scored);
    expect(withheld).toMatchObject({ confidence: null, notVerified: 'No.' });
    const again = fold(
      [sessionEvent('confidence.computed', { turnId, score: 70, parts: [] })],
      withheld,
    );
    expect(again).toMatchObject({ confidence: { score: 70 }, notVerified: null });
  });

  it('[SE20] Ship sends at most 4 consecutive prompts; a person’s prompt resets the count', () => {
    const state = fold([asked('Ada'), ...Array.from({ length: 3 }, () => asked('Ship'))]);
    expect(mayPromptAgent(state)).toBe(true);
    const full = fold([asked('Ship')], state);
    expect(mayPromptAgent(full)).toBe(false);
    expect(mayPromptAgent(fold([asked('Ada')], full))).toBe(true);
    expect(mayPromptAgent(NOT_VERIFIED_YET)).toBe(true);
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
