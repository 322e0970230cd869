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

describe('the view of a pull request', () => {
  it('[DK3] shows the rest when the token may not read checks', async () => {
    const view = await viewOf(sessionId, forge('forbidden'), 3);
    expect(view).toEqual({ sessionId, pullRequest, checks: { state: 'unknown', failed: [] } });
  });

  it('[DK3] reports a brief outage of the forge as such, not as unknown checks', async () => {
    await expect(viewOf(sessionId, forge('unavailable'), 3)).rejects.toThrow('The forge refused.');
  });
});
