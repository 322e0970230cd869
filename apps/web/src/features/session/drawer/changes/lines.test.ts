import { createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { editsOf } from './edits-of.ts';
import { numberLines, pairLines } from './lines.ts';

const hunk = {
  oldStart: 10,
  oldLines: 4,
  newStart: 12,
  newLines: 4,
  section: '',
  lines: [' same', '-old one', '-old two', '+new one', ' end', '+added', '\\ No newline'],
};

describe('lines of a diff', () => {
  it('are numbered on both sides', () => {
    expect(
      numberLines(hunk).map(({ kind, oldNumber, newNumber }) => [kind, oldNumber, newNumber]),
    ).toEqual([
      ['same', 10, 12],
      ['removed', 11, null],
      ['removed', 12, null],
      ['added', null, 13],
      ['same', 13, 14],
      ['added', null, 15],
      ['note', null, null],
    ]);
  });

  it('are paired where one replaced the other', () => {
    const texts = pairLines(numberLines(hunk)).map(({ left, right }) => [left?.text, right?.text]);
    expect(texts).toEqual([
      ['same', 'same'],
      ['old one', 'new one'],
      ['old two', undefined],
      ['end', 'end'],
      [undefined, 'added'],
    ]);
  });
});

const finished = (seq: number, diff: string) => ({
  seq,
  at: 0,
  type: 'tool.finished',
  version: 1,
  data: {
    turnId: createId('turn'),
    subagentId: null,
    partId: `p${seq}`,
    tool: 'edit',
    title: 'a.ts',
    status: 'completed',
    output: '',
    outputBytes: 0,
    link: null,
    exitCode: null,
    durationMs: 1,
    edits: diff === '' ? [] : [{ path: 'a.ts', additions: 1, deletions: 0 }],
    diff,
    callHash: '',
    resultHash: '',
  },
});

describe('edits in the log', () => {
  it('are those with a diff, in order', () => {
    expect(editsOf([finished(1, '+a'), finished(2, ''), finished(3, '+b')])).toEqual([
      { seq: 1, paths: ['a.ts'], diff: '+a' },
      { seq: 3, paths: ['a.ts'], diff: '+b' },
    ]);
  });
});
