import type { SessionSummary } from '@ship/protocol';
import { createId } from '@ship/protocol';
import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { parseSession, requireSessionId } from './find-session.ts';
import { choiceOf, renderChoices } from './session-choices.ts';

const session = (title: string) =>
  ({ sessionId: createId('ses'), title, createdAt: 0, pullRequest: null }) as SessionSummary;

const guess = (text: string | undefined, isAsked: boolean) => () =>
  requireSessionId(text, { verb: 'pr merge' }, isAsked);

describe('session lookup of verbs', () => {
  it.each(['', ' ', '\t'])('[EY2] an empty id is refused: %j', (text) => {
    expect(() => parseSession(text)).toThrow(InvalidArgumentError);
    expect(parseSession('ses_1')).toBe('ses_1');
  });

  it('[EY1] a destructive verb without an id is refused without a terminal', () => {
    expect(guess(undefined, false)).toThrow(
      expect.objectContaining({ exitCode: 2, remedy: expect.stringContaining('ship pr merge') }),
    );
    expect(guess(undefined, true)).not.toThrow();
    expect(guess('abc', false)).not.toThrow();
  });

  it('[EY1] a person picks by number, and any other input picks nothing', () => {
    const offered = [session('one'), session('two')];
    expect(renderChoices(offered, 60_000)).toMatch(/^ {2}1 {2}ses_\w+ {2}.* ago {2}one\n {2}2 /);
    expect(choiceOf(' 2 ', offered)?.title).toBe('two');
    for (const answer of ['', '0', '3', '-1', 'y', '1 2', '1.5', '01', 'two'])
      expect(choiceOf(answer, offered)).toBeUndefined();
  });
});
