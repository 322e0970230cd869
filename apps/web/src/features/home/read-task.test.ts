import { SessionCreate } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { readTask } from './read-task.ts';

const texts = { prompt: 'Fix it', repository: '/srv/shop', base: '', model: '', budget: '' };

describe('the task form', () => {
  it('[WB4] requires only a task and a repository', () => {
    const read = readTask(texts);
    if (!read.ok) return expect.fail('not read');
    expect(SessionCreate.safeParse({ requestId: 'x'.repeat(8), ...read.session }).success).toBe(
      true,
    );
    expect(read.session).toEqual({
      prompt: 'Fix it',
      repository: '/srv/shop',
      base: null,
      model: null,
      budgetUsd: null,
    });
  });

  it.each([
    ['prompt', ' '],
    ['repository', ''],
    ['model', 'gpt'],
    ['budget', '0'],
    ['budget', 'much'],
  ] as const)('[WB4] reports a problem with %s %j', (field, text) => {
    const read = readTask({ ...texts, [field]: text });
    expect(read.ok ? {} : read.problems).toHaveProperty(field);
  });

  it('accepts a budget with a dollar sign', () => {
    expect(readTask({ ...texts, budget: '$2.50' })).toMatchObject({
      ok: true,
      session: { budgetUsd: 2.5 },
    });
  });
});
