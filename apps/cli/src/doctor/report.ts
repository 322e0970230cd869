import { styleText } from 'node:util';
import type { Finding } from './examine.ts';

const MARKS = { pass: styled('green', '✓'), warn: styled('yellow', '!'), fail: styled('red', '✗') };

const MACHINE_WORDS = {
  good: 'Ship can run on this machine.',
  bad: 'Ship cannot run here yet: fix the lines marked ✗.',
};

export function printReport(findings: Finding[], json: boolean, words = MACHINE_WORDS): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ ok: !hasFailed(findings), findings })}\n`);
    return;
  }
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const finding of findings) {
    process.stdout.write(
      `${MARKS[finding.verdict]()} ${finding.check.padEnd(width)}  ${finding.detail}\n`,
    );
    if (finding.verdict !== 'pass')
      process.stdout.write(`  ${' '.repeat(width)}  → ${finding.remedy}\n`);
  }
  process.stdout.write(`\n${hasFailed(findings) ? words.bad : words.good}\n`);
}

function hasFailed(findings: Finding[]): boolean {
  return findings.some(({ verdict }) => verdict === 'fail');
}

/** Node omits colors when NO_COLOR is set or the output is not a terminal. */
function styled(colour: 'green' | 'yellow' | 'red', mark: string): () => string {
  return () => styleText(colour, mark, { stream: process.stdout });
}
