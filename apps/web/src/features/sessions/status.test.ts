import { describe, expect, it } from 'vitest';
import { presentStatus } from './status.ts';

const pullRequest = { number: 1, url: 'x', state: 'open', draft: true } as const;

describe('presentStatus', () => {
  it('puts what needs a person before what the machine does', () => {
    expect(
      presentStatus({ status: 'working', needsYou: 'question', pullRequest: null }),
    ).toMatchObject({ label: 'Question for you', tone: 'ask' });
  });

  it('an idle session shows the state of its pull request', () => {
    expect(presentStatus({ status: 'idle', needsYou: null, pullRequest }).label).toBe(
      'Ready for review',
    );
    expect(
      presentStatus({
        status: 'idle',
        needsYou: null,
        pullRequest: { ...pullRequest, state: 'merged' },
      }).label,
    ).toBe('Merged');
    expect(presentStatus({ status: 'idle', needsYou: null, pullRequest: null }).tone).toBe('ask');
  });

  it('a closed session needs nothing', () => {
    expect(presentStatus({ status: 'closed', needsYou: 'error', pullRequest }).label).toBe(
      'Closed',
    );
  });
});
