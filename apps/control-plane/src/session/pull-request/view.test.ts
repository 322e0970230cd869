import { type PullRequest, createId, fail } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { viewOf } from './view.ts';

const pullRequest: PullRequest = {
  number: 3,
  url: 'http://x/3',
  title: 't',
  body: '',
  state: 'open',
  draft: true,
  head: 'b',
  headSha: 'a'.repeat(40),
  base: 'main',
  mergeable: null,
};
const sessionId = createId('ses');
const forge = (code: 'forbidden' | 'unavailable') => ({
  pullRequest: async () => pullRequest,
  checks: async () => fail(code, 'The forge refused.', 'Ask again.'),
});

describe('a pull request as it is shown', () => {
  it('[DK3] checks that the token may not see are unknown, and the rest is shown', async () => {
    const view = await viewOf(sessionId, forge('forbidden'), 3);
    expect(view).toEqual({ sessionId, pullRequest, checks: { state: 'unknown', failed: [] } });
  });

  it('[DK3] a forge that is away for a moment is told as such, not as unknown checks', async () => {
    await expect(viewOf(sessionId, forge('unavailable'), 3)).rejects.toThrow('The forge refused.');
  });
});
