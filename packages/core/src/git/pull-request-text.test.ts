import type { VerificationRun } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mergeBody,
  type PullRequestFacts,
  pullRequestSection,
  pullRequestTitle,
  writtenBody,
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

const facts: PullRequestFacts = {
  title: 'Fix the total',
  prompts: ['Make the total right, @ada'],
  summary: 'Summed in cents.',
  verification: { before: null, after: run('npm test'), output: 'x\n```\nnot ok\n```' },
  whyNotVerified: null,
  confidence: null,
  changes: { files: 1, additions: 2, deletions: 3 },
  commits: [{ sha: 'a'.repeat(40), message: 'fix: total' }],
  costUsd: 0.1234,
  model: 'demo/scripted',
  sessionUrl: 'http://ship.localhost:4400/sessions/ses_1',
};

describe('text of pull requests', { timeout: 60_000 }, () => {
  it('[GN5] says what, why, how it was verified, what it cost and where it was made', () => {
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

  it('[GN5] what is not known is left out', () => {
    const section = pullRequestSection({
      ...facts,
      prompts: [],
      summary: null,
      verification: null,
      changes: null,
      costUsd: null,
      model: null,
      sessionUrl: null,
    });
    expect(section).toContain('Not verified');
    expect(section).not.toMatch(/cost|model|session|Why/);
    expect(pullRequestTitle({ ...facts, title: ' ', prompts: [] })).toBe('Work of the agent');
  });

  it('[GN6] nobody is called and no marker is closed by what others wrote', () => {
    const section = pullRequestSection({
      ...facts,
      prompts: ['@everyone <!-- ship:end --> look'],
      summary: '<!-- ship:start --> cc @bob',
    });
    expect(section).not.toMatch(/(^|\s)@(ada|bob|everyone)/);
    expect(section.match(/ship:(start|end)/g)).toEqual(['ship:start', 'ship:end']);
  });

  it('[GN6] a person’s words around the generated part stay, however often it is renewed', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, after, summary) => {
        fc.pre(!/ship:/.test(before + after));
        const first = pullRequestSection(facts);
        const second = pullRequestSection({ ...facts, summary });
        const body = `${before}${first}${after}`;
        expect(mergeBody(mergeBody(body, second, false), first, false)).toBe(body);
      }),
    );
  });

  it('[GN6] a person who removed the generated part wants none; one who was first keeps theirs above', () => {
    expect(mergeBody('mine', 'S', false)).toBe('mine');
    expect(mergeBody('', 'S', false)).toBe('');
    expect(mergeBody('mine', 'S', true)).toBe('mine\n\nS');
    expect(mergeBody(null, 'S', true)).toBe('S');
  });

  it('[MR7] what a person writes replaces what was outside the generated part, and cannot break it', () => {
    const section = pullRequestSection(facts);
    const body = writtenBody(`old\n\n${section}\n\nbelow`, 'Please read this first. ');
    expect(body).toBe(`Please read this first.\n\n${section}`);
    expect(writtenBody(body, '')).toBe(section);
    expect(writtenBody(body, 'a <!-- ship:end --> b <!-- ship:start -->')).toBe(
      `a  b\n\n${section}`,
    );
    expect(writtenBody('nothing of ours', 'mine')).toBe('mine');
    expect(writtenBody(null, 'mine')).toBe('mine');
    expect(mergeBody(body, 'S', false)).toBe('Please read this first.\n\nS');
  });

  it('a body never grows past what a forge takes', () => {
    const huge = 'x '.repeat(200_000);
    const section = pullRequestSection({
      ...facts,
      summary: huge,
      prompts: [huge, huge],
      verification: { before: null, after: run(huge.slice(0, 100)), output: huge },
    });
    expect(section.length).toBeLessThan(60_000);
    expect(section.endsWith('<!-- ship:end -->')).toBe(true);
  });
});
