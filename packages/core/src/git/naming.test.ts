import { BranchName, createId } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alternativeBranchName, branchName, refuseBranchName, slugOf } from './branch-name.ts';
import { type CommitFacts, commitMessage } from './commit-message.ts';
import { DEFAULT_STYLE } from './commit-style.ts';
import { commitSubject } from './commit-subject.ts';

const sessionId = createId('ses');
const facts = {
  sessionId,
  title: 'Fix the login',
  createdAtMs: Date.UTC(2026, 10, 16, 4, 5),
  cardId: null,
};

describe('names of branches', { timeout: 60_000 }, () => {
  it('[GN1] contains the title, the time and the session', () => {
    expect(branchName(facts)).toBe(`ship-fix-the-login-202611160405-${sessionId.slice(-8)}`);
    const cardId = createId('crd');
    expect(branchName({ ...facts, cardId })).toBe(`task-${cardId.slice(4)}`);
    expect(alternativeBranchName('task-1', sessionId)).toBe(`task-1-${sessionId.slice(-8)}`);
  });

  it('[GN1] any title and any clock give a valid name without a slash', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.double(), (title, createdAtMs) => {
        const name = branchName({ ...facts, title, createdAtMs });
        expect(BranchName.safeParse(name).success).toBe(true);
        expect(name).toMatch(/^ship-([a-z0-9-]+-)?\d{12}-[0-9a-z]{8}$/);
        expect(slugOf(title).length).toBeLessThanOrEqual(40);
        expect(refuseBranchName(name, { base: 'main', defaultBranch: 'main' })).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    '',
    '-x',
    'HEAD',
    '@',
    'main',
    'trunk',
    'refs/heads/x',
    'a..b',
    'a b',
    'a.lock',
    'a'.repeat(40),
    'x/',
  ])('[GN2] a person cannot name it "%s"', (name) => {
    expect(refuseBranchName(name, { base: 'main', defaultBranch: 'trunk' })?.code).toBe(
      'invalid-input',
    );
  });

  it.each(['fix', 'feature/login', 'ünïcode', 'v1.2'])(
    '[GN2] a person may name it "%s"',
    (name) => {
      expect(refuseBranchName(name, { base: 'main', defaultBranch: 'main' })).toBeUndefined();
    },
  );
});

const commitFacts = (change: Partial<CommitFacts> = {}): CommitFacts => ({
  sessionId,
  turnId: createId('turn'),
  summary: null,
  style: DEFAULT_STYLE,
  files: [{ path: 'src/total.js', status: 'other' }],
  agent: { name: 'OpenCode', email: 'agent@example.com' },
  ...change,
});
const file = (path: string, status: 'added' | 'other' = 'other') => ({ path, status });
const gone = (path: string) => ({ path, status: 'deleted' }) as const;

describe('commit messages', { timeout: 60_000 }, () => {
  it.each<[string, Partial<CommitFacts>]>([
    ['docs: explain totals', { summary: 'Explained totals.', files: [file('README.md')] }],
    ['test: cover empty carts', { summary: 'Cover empty carts', files: [file('src/a.test.ts')] }],
    ['build: bump zod', { summary: 'Bumped zod', files: [file('package.json')] }],
    ['fix: handle empty carts', { summary: 'Done. I handled empty carts!' }],
    ['feat(web): add a page', { summary: 'Added a page', files: [file('apps/web/src/x.ts')] }],
    ['feat: A page', { summary: 'A page.', files: [file('src/x.ts', 'added')] }],
    ['chore: the sign is + now', { summary: 'the sign is + now' }],
    ['fix: the sign is + now', { summary: 'the sign is + now', fixedTests: 1 }],
    ['fix: sum whole cents', { summary: 'I fixed totals.\nChange: Sum whole cents' }],
    ['perf(api): one query', { summary: 'perf(api): one query. And more.' }],
    ['chore: update total.js', { summary: null }],
    ['feat: add a.ts and b.ts', { files: [file('src/a.ts', 'added'), file('src/b.ts', 'added')] }],
    ['refactor: remove a.ts and 2 more files', { files: ['a.ts', 'b.ts', 'c.ts'].map(gone) }],
    ['refactor: rename README to GUIDE', { summary: 'I renamed README to GUIDE' }],
    ['Merge origin/main into task-1', { merged: { from: 'origin/main', into: 'task-1' } }],
  ])('[GN3] "%s"', (expected, change) => {
    expect(commitSubject(commitFacts(change))).toBe(expected);
  });

  it.each<[string, Partial<CommitFacts>]>([
    [
      'fix: round total_cents() to whole cents and add a test',
      {
        summary:
          '`total_cents()` truncated each price, so cents were lost. It rounds now.\nChange: Round `total_cents()` to whole cents and add a test',
      },
    ],
    [
      'fix: round total_cents() to whole cents and add a test',
      {
        summary: 'Change: Round `total_cents()` to whole cents and add a test',
        files: [file('src/total.py'), file('tests/test_total.py', 'added')],
        isProven: true,
      },
    ],
    [
      'chore: round total_cents() to whole cents and add a test',
      { summary: 'Change: Round `total_cents()` to whole cents and add a test', isProven: true },
    ],
    [
      'fix: total_cents() no longer loses cents',
      { summary: '`total_cents()` no longer loses cents. I added a test.' },
    ],
    [
      'fix: add a rounding step to total_cents()',
      { summary: 'I found the cause and fixed it.\nChange: Add a rounding step to total_cents()' },
    ],
    [
      'fix: use Decimal in total_cents()',
      {
        summary: 'The bug was in the float sum.\nChange: Use Decimal in total_cents()',
        files: [file('src/total.py'), file('tests/test_total.py', 'added')],
      },
    ],
    [
      'feat: add a page for bug reports',
      { summary: 'Added a page for bug reports. No data is lost. It has a fixed width.' },
    ],
    [
      'feat: show exports',
      {
        summary: 'Showed exports. It also no longer crashes without one.',
        files: [file('src/exports.ts', 'added'), file('src/a.ts')],
      },
    ],
    [
      'feat: add a flag',
      { summary: 'Added a flag', files: [file('a.ts'), file('a.test.ts')], isProven: true },
    ],
    [
      'feat: show totals',
      { summary: 'Showed totals', files: [file('a.ts'), file('a.test.ts')], isProven: true },
    ],
    ['refactor: extract the sum', { summary: 'Extracted the sum. Before, it was lost in noise.' }],
  ])('[GN9] the type comes from the change and the agent’s summary: "%s"', (expected, change) => {
    expect(commitSubject(commitFacts(change))).toBe(expected);
  });

  it('[GN3] any text gives one subject line of at most 72 characters and the trailers once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (summary) => {
        const message = commitMessage(commitFacts({ summary }));
        const [subject = '', blank] = message.split('\n');
        expect(Array.from(subject).length).toBeLessThanOrEqual(72);
        expect(blank).toBe('');
        expect(subject).toMatch(/^[a-z]+(\([\w./-]+\))?!?: \S/);
        expect(message).not.toMatch(/[\0\r]/);
        expect(message.match(/^Ship-Turn: /gm)?.length).toBe(1);
      }),
    );
  });

  it('[GN4] text of a prompt or an agent cannot credit anyone', () => {
    const message = commitMessage(
      commitFacts({
        summary:
          'Done.\n\nCo-authored-by: Eve <eve@example.com>\nSigned-off-by: Eve <e@e>\nShip-Turn: x',
        agent: { name: 'A>\nCo-authored-by: Eve <e', email: 'x' },
      }),
    );
    expect(message.match(/^Co-authored-by:/gm)?.length).toBe(1);
    expect(message.match(/^Signed-off-by:/gm)).toBeNull();
    expect(message.match(/^Ship-Turn:/gm)?.length).toBe(1);
  });
});
