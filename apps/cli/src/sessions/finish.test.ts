import { shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { SessionFold } from '../progress/session-fold.ts';
import { scriptedLog } from '../progress/testing.ts';
import { resultOf } from '../result/result.ts';
import { describeResult } from './finish.ts';

function failedWith(...error: Parameters<typeof shipError>) {
  const fold = new SessionFold();
  const outcome = { kind: 'failed', error: shipError(...error) };
  fold.add(scriptedLog().created().started().finished(outcome).events);
  if (fold.state === undefined) throw new Error('the log makes no session');
  return resultOf(fold.state, fold.seen, 1_000);
}

describe('the end of a run', () => {
  const forges = { kind: 'open-settings', section: 'forges' } as const;
  const refused = failedWith('credentials-refused', 'Refused.', 'Set a valid token.', forges);

  it('[ER4] says where its error is resolved', () => {
    expect(describeResult(refused, 'http://ship.localhost:4400').slice(1, 4)).toEqual([
      '  Refused.',
      '  → Set a valid token.',
      '  → http://ship.localhost:4400/settings/forges',
    ]);
  });

  it('[ER4] without a server that goes on, it says how to get there', () => {
    expect(describeResult(refused, null).slice(1, 4)).toEqual([
      '  Refused.',
      '  → Set a valid token.',
      '  → npm start, then open /settings/forges',
    ]);
  });

  it('[ER4] an error without an action has no address', () => {
    const lines = describeResult(failedWith('internal', 'It broke.', 'Retry.'), 'http://x:1');
    expect(lines.join('\n')).not.toContain('http://x:1');
  });
});
