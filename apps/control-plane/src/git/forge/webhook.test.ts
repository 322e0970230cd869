import { describe, expect, it } from 'vitest';
import { parseWebhook, revertedBranch } from './webhook.ts';

const merged = (branch: string, isMerged = true) =>
  parseWebhook('pull_request', {
    action: 'closed',
    repository: { full_name: 'ada/app' },
    pull_request: {
      number: 8,
      title: 'Revert "Fix the login"',
      state: 'closed',
      merged: isMerged,
      head: { ref: branch, sha: 'a'.repeat(40) },
    },
  });

describe('webhooks of the forge', () => {
  it('[CB1] a merged pull request that reverts another one names its branch', () => {
    const of = (event: ReturnType<typeof merged>) =>
      event === undefined ? undefined : revertedBranch(event);
    expect(of(merged('revert-7-ship-mend-the-login'))).toBe('ship-mend-the-login');
    expect(of(merged('revert-7-ship-mend-the-login', false))).toBeUndefined();
    expect(of(merged('ship-mend-the-login'))).toBeUndefined();
    expect(of(merged('revert-it'))).toBeUndefined();
  });
});
