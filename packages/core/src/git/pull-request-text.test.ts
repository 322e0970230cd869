import { type Round, type VerificationRun, createId } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setupRepairPrompt } from '../environment/setup-agent.ts';
import {
  mergeBody,
  type PullRequestFacts,
  pullRequestSection,
  pullRequestTitle,
  displayBody,
  editedBody,
} from './pull-request-text.ts';

const run = (command: string): VerificationRun => ({
  command,
  source: 'package.json',
  verdict: 'failed',
  exitCode: 1,
  durationMs: 1_234,
  counts: { passed: 2, failed: 1, skipped: 0 },
  failing: ['a <!-- ship:end --> `b`'],
  link: null,
});

const turnId = createId('turn');
const round = (change: Partial<Round> = {}): Round => ({
  turnId,
  promptId: createId('prm'),
  kind: 'person',
  asked: 'Make the total right, @ada',
  said: 'Summed in cents.',
  change: null,
  whole: null,
  toolFailures: 0,
  ...change,
});

const facts: PullRequestFacts = {
  title: 'Fix the total',
  rounds: [round()],
  verification: { before: null, after: run('npm test'), output: 'x\n```\nnot ok\n```' },
  whyNotVerified: null,
  confidence: null,
  changes: { files: 1, additions: 2, deletions: 3 },
  commits: [{ sha: 'a'.repeat(40), message: 'fix: total', turnId }],
  costUsd: 0.1234,
  model: 'demo/scripted',
  sessionUrl: 'http://ship.localhost:4400/sessions/ses_1',
};

describe('text of pull requests', { timeout: 60_000 }, () => {
  it('[GN5] contains what, why, verification, cost and session', () => {
    const section = pullRequestSection(facts);
    for (const part of [
      'Summed in cents.',
      '> Make the total right',
      '❌ `npm test` failed',
      'cost $0.12',
    ])
      expect(section).toContain(part);
    expect(section).toContain('[session](http://ship.localhost:4400/sessions/ses_1)');
    expect(section).toContain('````\nx\n```\nnot ok\n```\n````');
    expect(pullRequestTitle(facts)).toBe('Fix the total');
  });

  it('[GN5] unknown parts are left out', () => {
    const section = pullRequestSection({
      ...facts,
      rounds: [],
      verification: null,
      changes: null,
      costUsd: null,
      model: null,
      sessionUrl: null,
    });
    expect(section).toContain('Not verified');
    expect(section).not.toMatch(/cost|model|session|Why/);
    expect(pullRequestTitle({ ...facts, title: ' ', commits: [] })).toBe('Changes by the agent');
  });

  it('[GN8] is about all rounds: what, requests in order, and each round with its commits', () => {
    const later = createId('turn');
    const rounds = [
      round({ said: 'Summed in cents.' }),
      round({
        kind: 'repair',
        turnId: later,
        asked: 'Fix what `npm test` reports',
        said: 'Fixed.',
      }),
      round({ asked: 'Also round\nhalf to even', change: 'Round half to even in `total_cents`' }),
    ];
    const message = 'fix: correct the import';
    const commits = [
      ...facts.commits,
      { sha: 'b'.repeat(40), message, turnId: later },
      { sha: 'c'.repeat(40), message: "Merge branch 'main' into x", turnId: null },
    ];
    const section = pullRequestSection({ ...facts, rounds, commits });
    expect(section).toContain(
      '### What\nSummed in cents.\n\nLater requests added:\n- Round half to even in total_cents',
    );
    expect(section).toContain('1. Make the total right, @\u200bada\n2. Also round half to even');
    expect(section).toContain(
      '1. **Request 1** → sum in cents\n   - aaaaaaaaa fix: total\n2. **Repair** after failing tests → no summary\n   - bbbbbbbbb fix: correct the import',
    );
    expect(section).toContain("Other commits:\n- ccccccccc Merge branch 'main' into x");
    expect(section).not.toContain('> Fix what');
    const asked = setupRepairPrompt('bash .ship/setup.sh', 1, 'no uv');
    const ofSetup = [...rounds, round({ kind: 'repair', turnId: later, asked })];
    expect(pullRequestSection({ ...facts, rounds: ofSetup })).toContain(
      '**Repair** after a failed setup',
    );
    const whole = [...rounds, round({ kind: 'conflict', whole: 'The total is exact.' })];
    expect(pullRequestSection({ ...facts, rounds: whole })).toContain(
      '### What\nThe total is exact.\n\n### Why',
    );
  });

  it('[GN8] of very many rounds it shows the first and the newest, and marks the gap', () => {
    const rounds = [round(), ...Array.from({ length: 20 }, (_, n) => round({ asked: `ask ${n}` }))];
    const section = pullRequestSection({ ...facts, rounds, roundsLeftOut: 4 });
    expect(section).toContain('1. Make the total right');
    expect(section).toContain('   …\n');
    expect(section).toContain('ask 19');
  });

  it('[GN3] a title that is only the prompt’s start is replaced by the commit’s subject', () => {
    const title = 'please could you look at the';
    expect(pullRequestTitle({ ...facts, title, isTitledByPrompt: true })).toBe('fix: total');
    expect(pullRequestTitle({ ...facts, title, isTitledByPrompt: true, commits: [] })).toBe(title);
    expect(pullRequestTitle({ ...facts, title })).toBe(title);
  });

  it('[GN6] untrusted text notifies no one and closes no marker', () => {
    const section = pullRequestSection({
      ...facts,
      rounds: [
        round({ asked: '@everyone <!-- ship:end --> look', said: '<!-- ship:start --> cc @bob' }),
      ],
    });
    expect(section).not.toMatch(/(^|\s)@(ada|bob|everyone)/);
    expect(section.match(/ship:(start|end)/g)).toEqual(['ship:start', 'ship:end']);
  });

  it('[GN6] a person’s text around the generated part stays after every update', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, after, summary) => {
        fc.pre(!/ship:/.test(before + after));
        const first = pullRequestSection(facts);
        const second = pullRequestSection({ ...facts, rounds: [round({ said: summary })] });
        const body = `${before}${first}${after}`;
        expect(mergeBody(mergeBody(body, second, false), first, false)).toBe(body);
      }),
    );
  });

  it('[GN6] a removed generated part stays removed; an existing body stays above it', () => {
    expect(mergeBody('mine', 'S', false)).toBe('mine');
    expect(mergeBody('', 'S', false)).toBe('');
    expect(mergeBody('mine', 'S', true)).toBe('mine\n\nS');
    expect(mergeBody(null, 'S', true)).toBe('S');
  });

  it('[MR7] a person’s text replaces the text outside the generated part, and cannot break it', () => {
    const section = pullRequestSection(facts);
    const body = editedBody(`old\n\n${section}\n\nbelow`, 'Please read this first. ');
    expect(body).toBe(`Please read this first.\n\n${section}`);
    expect(editedBody(body, '')).toBe(section);
    expect(editedBody(body, 'a <!-- ship:end --> b <!-- ship:start -->')).toBe(
      `a  b\n\n${section}`,
    );
    expect(editedBody('no marker', 'mine')).toBe('mine');
    expect(editedBody(null, 'mine')).toBe('mine');
    expect(mergeBody(body, 'S', false)).toBe('Please read this first.\n\nS');
  });

  it('[GN6] the web app shows neither markers nor tags as text', () => {
    const confidence = { score: 80, parts: [] };
    const section = pullRequestSection({ ...facts, confidence, verification: null });
    const body = displayBody(`mine\n\n${section}`);
    expect(body).toContain('**Confidence 80 of 100**');
    expect(body).not.toMatch(/<!--|<\/?(details|summary)/);
  });

  it('a body never exceeds the forge’s limit', () => {
    const huge = 'x '.repeat(200_000);
    const section = pullRequestSection({
      ...facts,
      rounds: [round({ asked: huge, said: huge, whole: huge }), round({ asked: huge, said: huge })],
      verification: { before: null, after: run(huge.slice(0, 100)), output: huge },
    });
    expect(section.length).toBeLessThan(60_000);
    expect(section.endsWith('<!-- ship:end -->')).toBe(true);
  });
});
