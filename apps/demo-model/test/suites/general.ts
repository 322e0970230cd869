import { spawnSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { SAMPLE_REPOSITORY } from '../../src/index.ts';
import type { PromptOptions, TurnRecord } from '../opencode.ts';
import type { World } from '../world.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;

const javascript = {
  'package.json': JSON.stringify({ name: 'shop', scripts: { test: 'node --test' } }),
  'README.md': '# Shop\n\nSells things.\n',
  'src/theme.js': "exports.theme = () => 'light';\n",
  'test/theme.test.js':
    "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { theme } = require('../src/theme.js');\ntest('light', () => assert.equal(theme(), 'light'));\n",
};

const python = {
  'pyproject.toml': '[project]\nname = "totals"\nversion = "1"\n',
  'totals.py':
    'def total(values):\n    result = 0\n    for index in range(1, len(values)):\n        result = result + values[index]\n    return result\n',
  'test_totals.py':
    'import unittest\nfrom totals import total\n\n\nclass TestTotal(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1, 2, 3]), 6)\n',
};

function expectCleanEnd(turn: TurnRecord): void {
  expect(turn.last.error).toBeUndefined();
  expect(turn.last.finish).toBe('stop');
  expect(turn.messages.length).toBeLessThan(25);
  expect(turn.text).toContain('Scripted demo model');
  expect(turn.text).toContain('A real model would');
}

/** The tests share one folder, so they run sequentially. */
export function describeGeneral(world: World): void {
  const prompt = (text: string, options: Partial<PromptOptions> = {}): Promise<TurnRecord> =>
    world.agent.prompt({ folder: world.repository.folder, text, ...options });

  /** Compares every class of tokens, and the cost as exactly as a float of dollars allows. */
  const expectSameCost = (turn: TurnRecord): void => {
    const { usage, costUsd, served } = world.model.served(turn.sessionId).totals;
    const sum = (pick: (message: TurnRecord['last']) => number): number =>
      turn.messages.reduce((total, message) => total + pick(message.info), 0);
    expect(served).toBe(turn.messages.length);
    expect({
      inputTokens: sum((info) => info.tokens.input),
      outputTokens: sum((info) => info.tokens.output),
      reasoningTokens: sum((info) => info.tokens.reasoning),
      cacheReadTokens: sum((info) => info.tokens.cache.read),
      cacheWriteTokens: sum((info) => info.tokens.cache.write),
    }).toEqual(usage);
    expect(costUsd).toBeGreaterThan(0);
    expect(sum((info) => info.cost)).toBeCloseTo(costUsd, 10);
  };

  describe('the general script with the real agent', { timeout: 80_000 }, () => {
    it('fixes the sample repository and reports the fix', async () => {
      const { repository } = world;
      repository.replaceContents(SAMPLE_REPOSITORY.folder);
      const turn = await prompt(SAMPLE_REPOSITORY.prompt);
      expectCleanEnd(turn);
      expectSameCost(turn);
      expect(repository.changes()).toBe('M src/pages.js');
      expect(repository.read('src/pages.js')).toContain('Math.ceil(total / size)');
      expect(turn.text).toContain('a last page that is not full counts too');
      const runs = turn.tools.filter((tool) => tool.name === 'bash').map((tool) => tool.output);
      expect(runs).toEqual([
        expect.stringContaining('exit code 1'),
        expect.stringContaining('exit code 0'),
      ]);
      expect(turn.tools.map((tool) => tool.status)).toEqual(turn.tools.map(() => 'completed'));
      expect(new Set(turn.tools.map((tool) => tool.name))).toEqual(
        new Set(['todowrite', 'glob', 'grep', 'read', 'bash', 'edit']),
      );
      expect(spawnSync('npm', ['test'], { cwd: repository.folder }).status).toBe(0);
    });

    it('answers a question without a change, with reasoning, todos and a title', async () => {
      world.repository.replaceContents(SAMPLE_REPOSITORY.folder);
      const turn = await prompt('Please tell me: what does this project do?', { title: null });
      expectCleanEnd(turn);
      expect(world.repository.changes()).toBe('');
      expect(turn.events.map((event) => event.type)).toContain('message.part.delta');
      const todos = turn.events.findLast((event) => event.type === 'todo.updated');
      expect(todos?.properties.todos.map((todo) => todo.status)).toEqual([
        'completed',
        'completed',
      ]);
      const parts = turn.messages.flatMap((message) => message.parts);
      expect(parts.some((part) => part.type === 'reasoning' && part.text !== '')).toBe(true);
      const client = world.agent.client(world.repository.folder);
      await vi.waitFor(
        async () => {
          const { data } = await client.session.get({ sessionID: turn.sessionId });
          expect(data?.title).toBe('Tell me: what does this project do');
        },
        { timeout: 20_000 },
      );
    });

    it('leaves a note when it cannot carry out the request; the tests still pass', async () => {
      world.repository.replaceContents(javascript);
      const turn = await prompt('Add a dark theme');
      expectCleanEnd(turn);
      expectSameCost(turn);
      expect(world.repository.changes()).toBe('?? NOTES.md');
      const notes = world.repository.read('NOTES.md');
      expect(notes).toContain('> Add a dark theme');
      expect(notes).toContain('`src/theme.js`, line 1');
      expect(notes).toContain('they passed when this was written');
    });

    it.skipIf(!hasPython)('repairs a Python project and leaves no caches', async () => {
      world.repository.replaceContents(python);
      const turn = await prompt('The total is wrong. Please fix it.');
      expectCleanEnd(turn);
      expect(world.repository.changes()).toBe('M totals.py');
      expect(world.repository.read('totals.py')).toContain('range(len(values))');
    });

    it('works in an empty repository', async () => {
      world.repository.replaceContents({});
      expectCleanEnd(await prompt('Create a small web server'));
      expect(world.repository.read('README.md')).toContain('> Create a small web server');
    });

    it('works in a repository with only a README, and again in the next turn', async () => {
      world.repository.replaceContents({ 'README.md': '# Only\n\nHello.\n' });
      const first = await prompt('Document how to work on this');
      expectCleanEnd(first);
      expect(world.repository.read('README.md')).toMatch(/^# Only\n\nHello\.\n\n## Development\n/);
      expectCleanEnd(await prompt('Add a licence', { sessionId: first.sessionId }));
      expect(world.repository.read('NOTES.md')).toContain('## Request: Add a licence');
    });

    it('uses apply_patch when the agent offers it instead of edit and write', async () => {
      world.repository.replaceContents({ 'README.md': '# Only\n\nHello.\n' });
      const turn = await prompt('Document how to work on this', { model: 'gpt-demo' });
      expectCleanEnd(turn);
      expect(turn.tools.map((tool) => tool.name)).toContain('apply_patch');
      expect(world.repository.read('README.md')).toMatch(/^# Only\n\nHello\.\n\n## Development\n/);
    });

    it('changes nothing in Plan mode', async () => {
      world.repository.replaceContents(javascript);
      const turn = await prompt('Fix the theme', { agent: 'plan' });
      expectCleanEnd(turn);
      expect(turn.text).toContain('Plan:');
      expect(world.repository.changes()).toBe('');
    });
  });
}
