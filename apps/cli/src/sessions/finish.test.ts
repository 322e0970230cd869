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

function provedSetup(exitCode: number) {
  const fold = new SessionFold();
  const log = scriptedLog().created().started();
  const { turnId } = log;
  const setup = { command: 'bash .ship/setup.sh', exitCode, durationMs: 7, link: null };
  log.add('setup.proved', { turnId, sha: 'a'.repeat(40), setup, verify: null });
  fold.add(log.finished({ kind: 'completed' }).events);
  if (fold.state === undefined) throw new Error('the log makes no session');
  return resultOf(fold.state, fold.seen, 1_000);
}

describe('the end of a run', () => {
  const forges = { kind: 'open-settings', section: 'forges' } as const;
  const refused = failedWith('credentials-refused', 'Refused.', 'Set a valid token.', forges);

  it('[ER4] shows where its error is resolved', () => {
    expect(describeResult(refused, 'http://ship.localhost:4400').slice(1, 4)).toEqual([
      '  Refused.',
      '  → Set a valid token.',
      '  → http://ship.localhost:4400/settings/forges',
    ]);
  });

  it('[ER4] with a temporary server, it says how to get there', () => {
    expect(describeResult(refused, null).slice(1, 4)).toEqual([
      '  Refused.',
      '  → Set a valid token.',
      '  → npm start, then open /settings/forges',
    ]);
  });

  it('[ER4] an error without an action has no URL', () => {
    const lines = describeResult(failedWith('internal', 'It broke.', 'Retry.'), 'http://x:1');
    expect(lines.join('\n')).not.toContain('http://x:1');
  });

  it('[AS3] says whether the setup works in a clean sandbox, and what to do when it does not', () => {
    expect(describeResult(provedSetup(0), null)).toContain(
      '  setup         works in a clean sandbox  bash .ship/setup.sh',
    );
    const failed = provedSetup(1);
    expect(describeResult(failed, 'http://x:1').slice(1, 3)).toEqual([
      '  setup         fails in a clean sandbox (exit code 1)  bash .ship/setup.sh',
      `  → http://x:1/sessions/${failed.sessionId} has its output; ship prompt ${failed.sessionId} "…" tells the agent what is missing`,
    ]);
    expect(describeResult(failed, null)[2]).toContain('npm start, then open /sessions/');
  });

  it('[AS3] reports a setup agent that wrote no setup', () => {
    const fold = new SessionFold();
    fold.add(scriptedLog().created().started().finished({ kind: 'completed' }).events);
    if (fold.state === undefined) throw new Error('the log makes no session');
    const result = resultOf(fold.state, fold.seen, 1_000);
    const line =
      '  setup         not checked: the branch changes nothing in .ship, or no sandbox was available';
    expect(describeResult(result, null)).not.toContain(line);
    expect(describeResult(result, null, { isSetupExpected: true })).toContain(line);
  });
});
