import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeChange } from './change-description.ts';
import { DEFAULT_STYLE, readCommitStyle } from './commit-style.ts';
import { commitSubject } from './commit-subject.ts';

const styleOf = (subjects: string[], texts: Record<string, string> = {}) =>
  readCommitStyle({ subjects, texts });
const subject = (summary: string, subjects: string[], texts: Record<string, string> = {}) =>
  commitSubject({
    summary,
    files: [{ path: 'cart/total.js', status: 'other' }],
    style: styleOf(subjects, texts),
  });

describe('the style of commits', () => {
  it('[GN7] follows the history: conventional with or without scopes, paths, or plain text', () => {
    const said = 'Fixed the total of empty carts.';
    expect(subject(said, [])).toBe('fix(cart): correct the total of empty carts');
    expect(subject(said, ['Initial commit'])).toBe('fix(cart): correct the total of empty carts');
    const scoped = ['fix(cart): a', 'feat(web): b'];
    expect(subject(said, scoped)).toBe('fix(cart): correct the total of empty carts');
    expect(subject(said, ['feat(api): x', 'fix(web): y'])).toBe(
      'fix: correct the total of empty carts',
    );
    const bare = ['fix: a', 'feat: b', 'docs: c', 'fix: d', 'test: e'];
    expect(subject(said, bare)).toBe('fix: correct the total of empty carts');
    expect(subject(said, ['Fix a', 'Add b (#4)', 'Teach c'])).toBe('Fix the total of empty carts');
    expect(subject(said, ['fix a', 'add b'])).toBe('fix the total of empty carts');
    expect(subject(said, ['cart: a b', 'web/api: c', 'all: d'])).toBe(
      'cart: fix the total of empty carts',
    );
  });

  it('[GN7] follows commitlint, in JSON, YAML and modules, without running it', () => {
    const module = `export default { extends: ['@commitlint/config-conventional'], rules: {
      'type-enum': [2, 'always', ['bug', 'feature', 'misc']],
      'scope-enum': [2, 'always', ['cart', 'web']], 'header-max-length': [2, 'always', 50] } }`;
    const strict = styleOf(['Things we did'], { 'commitlint.config.mjs': module });
    expect(strict).toEqual({
      kind: 'conventional',
      types: ['bug', 'feature', 'misc'],
      scopes: ['cart', 'web'],
      isCapitalized: false,
      maxLength: 50,
    });
    expect(subject('Fixed it all', ['Whatever'], { 'commitlint.config.mjs': module })).toBe(
      'bug(cart): fix it all',
    );
    const json = JSON.stringify({ commitlint: { rules: { 'scope-empty': [2, 'always'] } } });
    expect(styleOf(['Words'], { 'package.json': json })).toMatchObject({
      kind: 'conventional',
      scopes: [],
    });
    expect(styleOf(['Words'], { 'package.json': '{}' }).kind).toBe('plain');
    const yaml = 'rules:\n  type-enum:\n    - 2\n    - always\n    - - feat\n      - fix\n';
    expect(styleOf([], { '.commitlintrc.yml': yaml }).types).toEqual(['feat', 'fix']);
  });

  it('[GN7] follows common wording in AGENTS.md', () => {
    const text = 'Use Conventional Commits. The subject line has at most 60 characters.';
    expect(styleOf(['Words'], { 'AGENTS.md': text })).toMatchObject({
      kind: 'conventional',
      maxLength: 60,
    });
    const plain = 'Do not use conventional commits. Capitalize the subject line.';
    expect(styleOf(['fix: a'], { 'AGENTS.md': plain })).toMatchObject({
      kind: 'plain',
      isCapitalized: true,
    });
    expect(styleOf([], { 'AGENTS.md': 'Be kind.' })).toEqual(DEFAULT_STYLE);
  });

  it.each([
    [
      'Done.\n\nI renamed `user_id` to `__account_id__` in *args handling.',
      'rename user_id to __account_id__ in *args handling',
    ],
    ['**Fixed** the `a*b*c` product', 'fix the a*b*c product'],
    [
      '## Summary\n- Added `getHTTPClient()` (see [docs](http://x/y_z))',
      'add getHTTPClient() (see docs)',
    ],
    [
      'All tests pass.\nMapReduce is used e.g. for totals. More.',
      'MapReduce is used e.g. for totals',
    ],
    ['Change: `SNAKE_CASE` keys stay\nWhole change: Keys.', 'SNAKE_CASE keys stay'],
    ['Would you like more?', null],
    ['Done!', null],
  ])('[GN7] identifiers in %j stay unchanged', (said, expected) => {
    expect(describeChange(said)).toBe(expected);
  });

  it('[GN7] a long subject is cut at a word', () => {
    const long = `Added ${'a_long_identifier '.repeat(9)}`;
    expect(subject(long, ['Fix a', 'Add b'])).toBe(
      'Add a_long_identifier a_long_identifier a_long_identifier…',
    );
  });

  it('[GN7] any rules and any history give a style with a usable length', () => {
    const text = fc.string();
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), text, text, (subjects, rules, prose) => {
        const style = styleOf(subjects, { 'commitlint.config.js': rules, 'AGENTS.md': prose });
        expect(style.maxLength).toBeGreaterThanOrEqual(40);
      }),
    );
  });
});
