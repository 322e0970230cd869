import { createId, line } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evolve } from './evolve.ts';
import { titlePrompt, parseTitle, needsTitle } from './naming.ts';

describe('the name of a session', () => {
  it.each([
    ['Fix the last page', 'Fix the last page'],
    ['"Fix the last page."\n', 'Fix the last page'],
    ['**Title: Fix the last page**', 'Fix the last page'],
    ['# Fix `pageCount`\n\nI would begin with …', 'Fix `pageCount`'],
    ['`Fix pageCount`', 'Fix pageCount'],
    ["Don't count 'em twice'", "Don't count 'em twice'"],
    ['__init__ is called twice', '__init__ is called twice'],
    ['Title: "Fix **all** of it".', 'Fix **all** of it'],
    ['<think>What do\nthey want?</think>\n\nFix the last page', 'Fix the last page'],
    ['\n\n  Die letzte Seite\tanzeigen  ', 'Die letzte Seite anzeigen'],
    ['«Corriger la dernière page»', 'Corriger la dernière page'],
    ['- 最後のページを直す', '最後のページを直す'],
    ['Fix\u0007 the\u2028last page', 'Fix the'],
  ])('[NA2] %j becomes %j', (said, title) => expect(parseTitle(said)).toBe(title));

  it.each(['', '   \n\n', '""', '...', '42', `I am sorry, but ${'I cannot do that '.repeat(20)}`])(
    '[NA2] %j is no title',
    (said) => expect(parseTitle(said)).toBeNull(),
  );

  it('[NA2] any answer gives one line of valid length, in linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (said) => {
        const title = parseTitle(said);
        if (title !== null) expect(line(80).safeParse(title)).toMatchObject({ data: title });
      }),
    );
    for (const part of ['.', '<think>', '"', '* ', '# '])
      expect(parseTitle(`${part.repeat(200_000)}x`)?.length ?? 0).toBeLessThanOrEqual(80);
  });

  it('[NA2] a long title is cut at a word, within the limit', () => {
    const title = parseTitle('Rename every thing '.repeat(8));
    expect(title).toMatch(/^Rename every thing .* (Rename|every|thing)…$/);
    expect(title?.length).toBeLessThanOrEqual(80);
    expect(parseTitle('x'.repeat(120))).toHaveLength(80);
  });

  it('[NA2] the prompt contains the task, however long it is', () => {
    expect(titlePrompt('Fix it').text).toBe('Generate a short title for this task:\n\nFix it');
    expect(titlePrompt('😀'.repeat(50_000)).text.length).toBeLessThan(5_000);
    expect(titlePrompt(`${'x'.repeat(3_999)}😀`).text.isWellFormed()).toBe(true);
  });

  it('[NA1] only for a session without a title from a person, and only in the first turn', () => {
    const created = {
      sessionId: createId('ses'),
      title: 'T',
      repository: '/r',
      model: 'demo/demo',
    };
    // As in logs of versions before titles had authors.
    const state = evolve(undefined, {
      seq: 1,
      at: 1,
      type: 'session.created',
      version: 1,
      data: created,
    });
    if (state === undefined) throw new Error('no state');
    expect(needsTitle(state)).toBe(false);
    const nameless = { ...state, titledBy: 'prompt' as const };
    expect(needsTitle(nameless)).toBe(true);
    expect(needsTitle({ ...nameless, turnsFinished: 1 })).toBe(false);
    const used = {
      model: 'demo/demo-small',
      tokens: { input: 90, output: 7, reasoning: 2, cacheRead: 3, cacheWrite: 1 },
      costUsd: 0.00004,
    };
    const told = (type: string, data: object) =>
      evolve(nameless, { seq: state.seq + 1, at: 9, type, version: 1, data });
    const named = told('session.named', { title: 'Better', ...used });
    expect(named).toMatchObject({ title: 'Better', titledBy: 'model' });
    expect(named?.agent.usage).toMatchObject({ costUsd: 0.00004, steps: 0, tokens: used.tokens });
    // An unusable answer is still paid for.
    const unnamed = told('session.named', { title: null, ...used, costUsd: null });
    expect(unnamed).toMatchObject({ title: state.title, titledBy: 'prompt' });
    expect(unnamed?.agent.usage).toMatchObject({ costUsd: 0, unpricedSteps: 1 });
    expect(told('session.renamed', { title: 'Mine' })).toMatchObject({
      title: 'Mine',
      titledBy: 'person',
    });
  });
});
