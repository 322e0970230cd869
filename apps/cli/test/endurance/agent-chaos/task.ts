/** The task that is interrupted: several idempotent steps. */
import type { ScriptFile } from '@ship/demo-model';
import { commit, git } from '../../../../../scripts/testing/git.ts';
import { mkdir } from 'node:fs/promises';

const bash = (command: string) => ({ tool: 'bash', input: { command } });
const todos = (...statuses: string[]) => ({
  tool: 'todowrite',
  input: {
    todos: statuses.map((status, index) => ({
      content: `part ${index + 1}`,
      status,
      priority: 'high',
    })),
  },
});

const CHECK = `const fs = require('node:fs');
const parts = ['one', 'two', 'three', 'all'].filter((name) => !fs.existsSync(name + '.txt'));
if (parts.length > 0) { console.error('missing: ' + parts.join(', ')); process.exit(1); }
`;

const BASE = {
  'README.md': '# Parts\n\nState: open\n',
  'check.js': CHECK,
  'package.json': `${JSON.stringify({ name: 'parts', version: '1.0.0', scripts: { test: 'node check.js' } }, null, 2)}\n`,
};

/** The expected files of the branch after any kill. */
export const EXPECTED_FILES: Record<string, string> = {
  ...BASE,
  'README.md': '# Parts\n\nState: done\n',
  'one.txt': 'one\n',
  'two.txt': 'two\n',
  'three.txt': 'three\n',
  'all.txt': 'one\ntwo\nthree\n',
};

export const PROMPT = 'Please make the four parts.';

export const LAST_STEP = 7;

export const chaosRule: ScriptFile['rules'][number] = {
  name: 'parts',
  when: { prompt: 'make the four parts' },
  // Slow enough that a kill can hit a streaming answer.
  timing: { firstTokenMs: 80, tokensPerSecond: 250 },
  steps: [
    {
      think: 'First I check what exists and what is missing, one part after the other.',
      say: 'Let me look around the repository first.',
      calls: [todos('in_progress', 'pending', 'pending', 'pending'), bash('ls; cat README.md')],
    },
    { say: 'The first part.', calls: [bash('echo one > one.txt')] },
    { calls: [bash('sleep 0.5; echo two > two.txt')] },
    {
      say: 'Two parts exist.',
      calls: [todos('completed', 'completed', 'in_progress', 'pending'), bash('npm test || true')],
    },
    { calls: [bash('echo three > three.txt'), bash('sed -i s/open/done/ README.md')] },
    { calls: [bash('sleep 0.3; cat one.txt two.txt three.txt > all.txt')] },
    { calls: [bash('npm test'), todos('completed', 'completed', 'completed', 'completed')] },
    { say: 'All four parts exist, and the tests pass.' },
  ],
};

export async function makeRepository(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await git(folder, 'init', '-q', '-b', 'main');
  await commit(folder, BASE, 'Begin');
}
