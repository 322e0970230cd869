import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { SAMPLE_REPOSITORY } from '@ship/demo-model';
import type { DurableEvent, SessionState } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, write } from './git/support/git.ts';
import { WholeWorld } from './support/whole-world.ts';

const MINUTE_MS = 60_000;

const sum = (sign: string) => `export const sum = (a, b) => a ${sign} b;\n`;
const writeSum = (sign: string) => ({
  tool: 'write',
  input: { filePath: '{{folder}}/sum.js', content: sum(sign) },
});
const rule = (name: string, prompt: string, sign: string) => ({
  name,
  when: { prompt: { regex: prompt } },
  steps: [{ calls: [writeSum(sign)] }, { say: `The sign is ${sign} now.\n\nConfidence: 70%` }],
});
/** Ship's repair prompt contains the output, and so the operator that the test saw. */
const RULES = [
  rule('repair', String.raw`^Fix what \`npm test\` reports[\s\S]*saw minus`, '+'),
  rule('fail again', String.raw`^Fix what \`npm test\` reports[\s\S]*saw times`, '**'),
  rule('break', 'Use minus', '-'),
  rule('break for good', 'Use times', '*'),
];

const SUM_TEST = `import test from 'node:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { equal } from 'node:assert/strict';
import { sum } from './sum.js';
writeFileSync('left-behind.txt', 'by the tests');
test('the sum is a sum', () => {
  const signs = { '-': 'minus', '*': 'times', '**': 'power' };
  const sign = readFileSync('sum.js', 'utf8').match(/a (\\S+) b/)[1];
  equal(sum(2, 3), 5, 'saw ' + (signs[sign] ?? sign));
});
`;

const phases = (events: readonly DurableEvent[]) =>
  events.flatMap(({ type, data }) =>
    type === 'verification.finished' ? [`${data.phase} ${data.verdict}`] : [],
  );

/** With the real control plane, sandbox, agent and forge; only the model is scripted. */
describe('verification of a session', { timeout: 3 * MINUTE_MS }, () => {
  let world: WholeWorld;
  beforeAll(async () => {
    world = await WholeWorld.open(RULES);
  }, 3 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const newRepository = async (name: string, files: Record<string, string> | string) => {
    const folder = join(world.folder, name);
    if (typeof files === 'string') await cp(files, folder, { recursive: true });
    else await write(folder, files);
    await git(folder, 'init', '-q', '-b', 'main');
    await git(folder, 'add', '-A');
    await git(folder, 'commit', '-q', '-m', 'first');
    return folder;
  };

  it('[VT1] a failing test passes afterwards; the log and the pull request say so', async () => {
    const repository = await newRepository('bookshelf', SAMPLE_REPOSITORY.folder);
    const sessionId = await world.newSession(repository, SAMPLE_REPOSITORY.prompt);
    const state = await world.rest(sessionId);
    expect(state.activity).toEqual({ status: 'idle' });
    expect(phases(await world.events(sessionId))).toEqual(['before failed', 'after passed']);
    const { before, after, confidence } = state.verification;
    expect(before).toMatchObject({ command: 'npm test', source: 'package.json', exitCode: 1 });
    expect(before?.failing).toHaveLength(1);
    expect(after).toMatchObject({ exitCode: 0, failing: [], counts: { failed: 0 } });
    expect(confidence?.score).toBeGreaterThan(80);
    const body = await world.pullRequestBody(state);
    expect(body).toContain('✅ `npm test` passed');
    expect(body).toContain(`- Failing → passing: \`${before?.failing[0]}\``);
    expect(body).toContain(`Confidence ${confidence?.score} of 100`);
    expect(body).toContain('| exit code | 1 | 0 |');
  });

  describe('in one repository with setup and services', () => {
    let sessionId: string;
    let broken: SessionState;

    beforeAll(async () => {
      const repository = await newRepository('sums', {
        'package.json': JSON.stringify({ type: 'module', scripts: { test: 'sh test.sh' } }),
        // Waits for the service, and fails without one or with a second one.
        'test.sh': `for i in $(seq 100); do [ -s started ] || sleep 0.1; done
test -f prepared && test "$(wc -l <started)" = 1 && node --test\n`,
        'sum.js': sum('+'),
        'sum.test.js': SUM_TEST,
        '.gitignore': 'prepared\nstarted\n',
        '.ship/setup.sh': 'echo preparing; touch prepared\n',
        '.ship/start.sh': 'echo up >>started; exec sleep 600\n',
      });
      sessionId = await world.newSession(repository, 'Use minus');
      broken = await world.rest(sessionId);
    }, 3 * MINUTE_MS);

    it('[VT2] a failure after the work returns to the agent with the output', async () => {
      const events = await world.events(sessionId);
      expect(phases(events)).toEqual(['before passed', 'after failed', 'after passed']);
      const [, repair] = events.flatMap(({ type, data }) =>
        type === 'prompt.queued' ? [data] : [],
      );
      expect(repair?.author).toBe('Ship');
      expect(repair?.text).toContain('saw minus');
      expect(broken.turnsFinished).toBe(2);
      const body = await world.pullRequestBody(broken);
      expect(body).toContain('✅ `npm test` passed');
      expect(body).toContain('> Use minus');
    });

    it('[VF11] the agent’s own confidence is only one part of the score', async () => {
      const parts = broken.verification.confidence?.parts ?? [];
      expect(parts.at(-1)).toMatchObject({ name: 'own-estimate', value: 0.7, weight: 5 });
      const body = await world.pullRequestBody(broken);
      expect(body).toContain('**Repair** after failing tests → The sign is + now');
      expect(body).toContain('The agent’s own estimate: 70 %.');
      expect(body).not.toContain('Confidence: 70%');
    });

    it('[RS2] setup runs once and its output is kept; files that tests leave behind are not delivered', async () => {
      const kept = await world.call('GET', `/api/sessions/${sessionId}/artifacts/setup.txt`);
      expect(await kept.text()).toBe('preparing\n');
      const files = (await world.events(sessionId)).flatMap(({ type, data }) =>
        type === 'commit.made' ? [data.changedFiles] : [],
      );
      expect(files).toEqual([1, 1]);
    });

    it('[RS4] services start once and still run in the next turn', () => {
      // The verify command checks that before it runs the tests.
      expect(broken.verification.before?.verdict).toBe('passed');
      expect(broken.verification.after?.verdict).toBe('passed');
    });

    it('[VT3] the agent gets one repair round and no more; the pull request lists the failures', async () => {
      const requestId = `more-${crypto.randomUUID()}`;
      const turns = broken.turnsFinished;
      await world.call('POST', `/api/sessions/${sessionId}/prompts`, {
        requestId,
        text: 'Use times',
      });
      const state = await world.rest(sessionId);
      expect(state.turnsFinished).toBe(turns + 2);
      const runs = phases(await world.events(sessionId)).slice(-2);
      expect(runs).toEqual(['after failed', 'after failed']);
      expect(state.verification).toMatchObject({ failedRounds: 2, after: { exitCode: 1 } });
      expect(state.verification.confidence?.score).toBeLessThanOrEqual(40);
      const body = await world.pullRequestBody(state);
      expect(body).toContain('❌ `npm test` failed');
      expect(body).toContain('- Newly failing: `the sum is a sum`');
      expect(body).toContain('saw power');
    });
  });

  it('[RS3] a failed setup is reported with the end of its output, a link to all of it and a remedy', async () => {
    const repository = await newRepository('unprepared', {
      '.devcontainer/devcontainer.json':
        '{ // how\n "postCreateCommand": "seq 1 2000; echo no luck; exit 3", }',
      'README.md': '# Unprepared\n',
    });
    const sessionId = await world.newSession(repository, 'Do something');
    const { activity } = await world.rest(sessionId);
    const error = activity.status === 'failed' ? activity.error : null;
    expect(error).toMatchObject({ code: 'setup-failed', category: 'user-action' });
    expect(error?.message).toContain('exit code 3');
    expect(error?.message).toContain('no luck');
    expect(error?.remedy).toContain('postCreateCommand');
    const link = /\/api\/\S+\.txt/.exec(error?.message ?? '')?.[0] ?? '';
    const all = await (await world.call('GET', link)).text();
    expect(all).toMatch(/^\.devcontainer\/devcontainer\.json: 1 of 1 applied\n/);
    expect(all).toContain('\n1\n2\n3\n');
  });

  it('[EY4] a follow-up after a corrected setup runs the present setup, with the original task', async () => {
    const repository = await newRepository('corrected', {
      '.ship/setup.sh': 'echo not yet; exit 4\n',
      'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
      'sum.js': sum('+'),
    });
    const sessionId = await world.newSession(repository, 'Use minus');
    expect((await world.rest(sessionId)).activity.status).toBe('failed');
    await write(repository, { '.ship/setup.sh': 'echo prepared > prepared.txt\n' });
    await git(repository, 'commit', '-q', '-a', '-m', 'fix: the setup');
    const requestId = crypto.randomUUID();
    const text = 'The setup is corrected, try again';
    await world.call('POST', `/api/sessions/${sessionId}/prompts`, { requestId, text });
    const state = await world.rest(sessionId);
    expect(state.activity).toEqual({ status: 'idle' });
    expect(state.stages.find(({ stage }) => stage === 'setup')?.error).toBeNull();
    expect(state.git.baseSha).toBe(await git(repository, 'rev-parse', 'main'));
    // The model's rule matches the original task only.
    expect(state.git.commits).toHaveLength(1);
    const events = await world.events(sessionId);
    const purposes = events.flatMap(({ type, data }) =>
      type === 'command.started' ? [data.purpose] : [],
    );
    expect(purposes).toEqual(['setup', 'setup', 'verify-before', 'verify-after']);
  });
});
