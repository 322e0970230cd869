import type { SetupProof } from '@ship/protocol';
import { countsText } from './evidence-text.ts';
import { inline } from './markdown.ts';

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const end = (code: number | null) => (code === null ? 'did not end in time' : `exit code ${code}`);

/** The result of the setup in a clean sandbox, for the pull request that adds it. */
export function setupProofText({ sha, setup, verify }: SetupProof): string {
  const lines = [
    `- ${setup.exitCode === 0 ? '✅' : '❌'} \`${inline(setup.command)}\`: ${end(setup.exitCode)}, ${seconds(setup.durationMs)}`,
    ...(verify === null
      ? []
      : [
          `- ${verify.verdict === 'passed' ? '✅' : '❌'} \`${inline(verify.command)}\`: ${[
            end(verify.exitCode),
            ...(verify.counts === null ? [] : [countsText(verify.counts)]),
            seconds(verify.durationMs),
          ].join(', ')}`,
        ]),
  ];
  const why =
    verify === null && setup.exitCode === 0 ? '\nNo command is known that verifies it.' : '';
  return `### Setup in a clean sandbox\nShip cloned ${sha.slice(0, 9)} into a new sandbox and ran there:\n\n${lines.join('\n')}${why}`;
}
