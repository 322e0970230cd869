import { describe, expect, it } from 'vitest';
import {
  ALLOWED,
  CLEAN,
  findMarkers,
  sourceFiles,
  uncleanUses,
  unusedAllowances,
} from './vocabulary.ts';

const wordsIn = (file: string, text: string) => findMarkers(file, text).map(({ word }) => word);

describe('the vocabulary check', () => {
  it('finds marker words in comments and strings of source, with their lines', () => {
    const source = [
      '// Nobody asks.',
      'const door = 1;',
      "const text = 'It is begun anew.';",
      'const html = `kept for ever ${call("by itself, then")} and mended`;',
      '/**',
      ' * Started by',
      ' * itself.',
      ' */',
    ].join('\n');
    expect(findMarkers('a.ts', source)).toEqual([
      { file: 'a.ts', line: 1, word: 'nobody', text: 'Nobody' },
      { file: 'a.ts', line: 3, word: 'anew', text: 'anew' },
      { file: 'a.ts', line: 4, word: 'for ever', text: 'for ever' },
      { file: 'a.ts', line: 4, word: 'mend', text: 'mended' },
      { file: 'a.ts', line: 4, word: 'by itself', text: 'by itself' },
      { file: 'a.ts', line: 6, word: 'by itself', text: 'by itself' },
    ]);
  });

  it('takes identifiers, strings of one word and regular expressions for names, not for prose', () => {
    expect(
      wordsIn('a.ts', "import { door } from './door.ts'; purse('desk', /a door'/, 4 / 2 / 1);"),
    ).toEqual([]);
    expect(wordsIn('a.ts', 'const after = /[\'"]/; // at the door')).toEqual(['door']);
  });

  it('reads the text between tags, apostrophes included', () => {
    const page = '<p>\n  It isn\'t mended.\n  <b title="at the door">Hence</b>\n</p>';
    expect(wordsIn('a.tsx', page)).toEqual(['mend', 'door', 'hence']);
    expect(wordsIn('a.ts', 'if (a > door && door < b) call<door>(x);')).toEqual([]);
  });

  it('leaves out code, link targets and file names of Markdown', () => {
    const page =
      '# What it does\n\nSee [the door](door.md), [door.ts](door.ts) and `a door`.\n\n```\nnobody at the door\n```\n';
    expect(wordsIn('a.md', page)).toEqual(['door']);
  });

  it.each([
    ['What a call may cost is reserved before it.', ['opening']],
    ['It runs. Who asks again gets the same answer.', ['opening']],
    ['**Whatever it says** is kept.', ['opening', 'whatever']],
    ['What does it cost? It depends.', []],
    ['It says what failed.', []],
    ['| What | Who |', []],
  ])('a sentence must not open with What or Who, unless it asks: %s', (text, words) => {
    expect(wordsIn('a.md', text)).toEqual(words);
  });

  it.each([
    ['the npm script bench', '`npm run bench` and npm run bench, see bench/main.ts', []],
    ['a craft word', 'the bench of a turn', ['bench']],
    ['passive speech', 'the client is told; it is asked', ['is told', 'is asked']],
    ['others', 'a folder of its own, lest ours be overruled', ['of its own', 'lest', 'overrule']],
  ])('%s', (_name, text, words) => expect(wordsIn('a.md', text)).toEqual(words));

  it('checks clean folders only, without the uses that are allowed', () => {
    const files = [
      { file: 'docs/a.md', text: 'Nobody is at the door.' },
      { file: 'apps/b.ts', text: '// Nobody.' },
    ];
    const allowed = [{ file: /^docs\//, word: 'door', reason: 'a real door' }];
    expect(uncleanUses(files, ['docs/'], allowed).map(({ word }) => word)).toEqual(['nobody']);
    expect(uncleanUses(files, ['docs/', 'apps/b.ts'], allowed)).toHaveLength(2);
  });

  it('names allowances that are not needed any more', () => {
    const files = [{ file: 'docs/a.md', text: 'At the door.' }];
    const used = { file: /^docs\//, word: 'door', reason: 'a real door' };
    const unused = { file: /^docs\//, word: 'desk', reason: 'gone' };
    expect(unusedAllowances(files, ['docs/'], [used, unused])).toEqual([unused]);
  });

  it('every clean path has files, and every allowed use still exists', () => {
    const files = sourceFiles();
    expect(CLEAN.filter((path) => !files.some(({ file }) => file.startsWith(path)))).toEqual([]);
    expect(unusedAllowances(files, CLEAN, ALLOWED)).toEqual([]);
  });
});
