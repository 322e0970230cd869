import type { TestCounts, VerificationRun } from '@ship/protocol';
import type { Tone } from '../../ui/tone.tsx';

export const verdicts: Readonly<
  Record<VerificationRun['verdict'], { readonly tone: Tone; readonly word: string }>
> = {
  passed: { tone: 'ok', word: 'passed' },
  failed: { tone: 'bad', word: 'failed' },
  unavailable: { tone: 'none', word: 'could not run' },
  'timed-out': { tone: 'bad', word: 'took too long' },
};

/** The runner's counts without zeros; "no tests" if all are zero. */
export function formatTestCounts({ passed, failed, skipped }: TestCounts): string {
  const words = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(passed > 0 ? [`${passed} passed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return words.length === 0 ? 'no tests' : words.join(', ');
}

/** Level thresholds of a score. */
export const levelOf = (share: number): 'ok' | 'warn' | 'bad' =>
  share >= 0.75 ? 'ok' : share >= 0.4 ? 'warn' : 'bad';
