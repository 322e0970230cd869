import type { EnvironmentCheck, RepositoryPlan } from '@ship/protocol';
import { fence } from '../git/markdown.ts';

/** The task of the agent that works out how a repository is set up, started and verified. */

export interface SetupAgentFacts {
  /** The detected plan, such as “pnpm-lock.yaml → pnpm install --frozen-lockfile → pnpm test”. */
  detected: readonly string[];
  /** Commands that failed, with the end of their output. */
  failed: readonly { command: string; output: string }[];
}

/** Collects the facts for the agent from a plan and from a check, if there was one. */
export function setupAgentFacts(
  plan: Pick<RepositoryPlan, 'lines' | 'plan'> | null,
  check: Pick<EnvironmentCheck, 'steps' | 'output'> | null,
): SetupAgentFacts {
  const described = (plan?.plan.described ?? []).filter(({ applied }) => !applied);
  const failed = check?.steps.findLast(({ status }) => status === 'failed');
  return {
    detected: [
      ...(plan?.lines ?? []),
      ...described.map(({ file, item, why }) => `${file}: ${item} does not apply: ${why}`),
    ],
    failed:
      failed === undefined
        ? []
        : [{ command: failed.command ?? failed.name, output: check?.output ?? '' }],
  };
}

export const SETUP_AGENT_TITLE = 'Work out the setup of the repository';

const MAX_ITEMS = 40;
const MAX_OUTPUT = 4_000;

export function setupAgentPrompt({ detected, failed }: SetupAgentFacts): string {
  const parts = [
    `Work out how this repository is set up, started and verified, and write it down as scripts.

Write these files, and change nothing else:
- \`.ship/setup.sh\`: prepares a fresh clone in a new sandbox. It installs dependencies (frozen to the lock file), builds what the tests need, and creates local databases and configuration. It must not ask anything, must work when it runs twice, and must end with an exit code other than 0 when a step fails (\`set -euo pipefail\`).
- \`.ship/start.sh\`, only if the tests or the developers need a server or a database that keeps running: it starts them and stays in the foreground.
- \`.ship/verify.sh\`, only if no single well-known command such as \`npm test\` or \`pytest\` verifies the repository: it runs the tests that need no secret and no network, in less than five minutes.

How to find out:
1. Read README, CONTRIBUTING, AGENTS.md, the files of the CI (.github/workflows, .gitlab-ci.yml), devcontainer.json, Dockerfile, compose files, Makefile, manifests and lock files.
2. Check which tools the sandbox has. There is no Docker, and system folders are read-only; use native servers of the sandbox (postgres, redis-server, mariadbd), or leave such tests out and say so.
3. Run \`bash .ship/setup.sh\` and then the tests until both work. Prove it from a clean state: \`git stash -u\` or a second clone in /tmp, because files that you left behind hide mistakes.
4. Never write a secret into a file. When a script needs one, read it from an environment variable and name it in your summary.

When you are done, Ship clones your branch into a new sandbox, runs \`.ship/setup.sh\` and the tests there, and puts the result into the pull request.

In your summary, say which commands set up, start and verify the repository, how long they took, and what does not work here and why.`,
  ];
  if (detected.length > 0) {
    const lines = detected.slice(0, MAX_ITEMS).map((line) => `- ${line}`);
    parts.push(`Ship detected this automatically:\n${lines.join('\n')}`);
  }
  for (const { command, output } of failed.slice(0, 5))
    parts.push(
      `This failed in a sandbox: \`${command}\`\nThe end of its output:\n${fence(output.slice(-MAX_OUTPUT))}`,
    );
  return parts.join('\n\n');
}

const FAILS_IN_CLEAN_SANDBOX = 'fails in a clean sandbox';

/** Whether Ship's repair prompt is about the setup, not about failing tests. */
export const isSetupRepair = (prompt: string): boolean => prompt.includes(FAILS_IN_CLEAN_SANDBOX);

/** The prompt to the agent when its setup fails in a clean sandbox. */
export function setupRepairPrompt(
  command: string,
  exitCode: number | null,
  output: string,
): string {
  return `\`${command}\` ${FAILS_IN_CLEAN_SANDBOX}, from a fresh clone of your branch (exit code ${exitCode ?? 'unknown'}). The end of its output:\n${fence(output.slice(-MAX_OUTPUT))}\n\nFind what is there in your sandbox and missing in a new one, and correct \`.ship/setup.sh\`. Prove it in a second clone in /tmp.`;
}
