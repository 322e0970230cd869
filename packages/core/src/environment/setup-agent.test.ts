import { describe, expect, it } from 'vitest';
import { setupProofText } from '../git/setup-proof-text.ts';
import { setupAgentFacts, setupAgentPrompt, setupRepairPrompt } from './setup-agent.ts';

describe('setup agent', () => {
  it('[AS1] its task names the scripts, what was detected and what failed', () => {
    const prompt = setupAgentPrompt({
      detected: ['pnpm-lock.yaml → pnpm install --frozen-lockfile'],
      failed: [{ command: 'pnpm test', output: `${'x'.repeat(9000)}no database` }],
    });
    for (const name of ['.ship/setup.sh', '.ship/start.sh', '.ship/verify.sh'])
      expect(prompt).toContain(name);
    expect(prompt).toContain('- pnpm-lock.yaml → pnpm install --frozen-lockfile');
    expect(prompt).toMatch(/`pnpm test`\n[^]*no database\n```$/);
    expect(prompt.length).toBeLessThan(8_000);
    expect(setupAgentPrompt({ detected: [], failed: [] })).not.toContain('detected this');
    expect(setupRepairPrompt('bash .ship/setup.sh', 2, 'no uv')).toContain('exit code 2');
  });

  it('[AS1] a plan and a failed test of the setup become its facts', () => {
    const part = { file: 'compose.yaml', item: 'service mail', why: 'no server' };
    const described = [
      { ...part, applied: false },
      { ...part, item: 'service db', applied: true },
    ];
    const plan = { install: [], verify: null, toolchains: [], notes: [], described };
    const step = { name: 'verify', durationMs: 1, detail: null } as const;
    const steps = [
      { ...step, name: 'setup', command: 'npm ci', status: 'ok' as const },
      { ...step, command: 'npm test', status: 'failed' as const },
    ];
    expect(setupAgentFacts({ lines: ['found x'], plan }, { steps, output: 'no' })).toEqual({
      detected: ['found x', 'compose.yaml: service mail does not apply: no server'],
      failed: [{ command: 'npm test', output: 'no' }],
    });
    expect(setupAgentFacts(null, null)).toEqual({ detected: [], failed: [] });
  });

  it('[AS2] the pull request shows the result of the clean sandbox', () => {
    const setup = { command: 'bash .ship/setup.sh', exitCode: 0, durationMs: 12_300, link: null };
    const turnId = 'turn_01' as Parameters<typeof setupProofText>[0]['turnId'];
    const proof = { turnId, sha: 'abcdef0123456', setup, verify: null };
    expect(setupProofText(proof)).toBe(`### Setup in a clean sandbox
Ship cloned abcdef012 into a new sandbox and ran there:

- ✅ \`bash .ship/setup.sh\`: exit code 0, 12.3 s
No command is known that verifies it.`);
    const verify = {
      command: 'npm test',
      source: 'package.json',
      verdict: 'failed' as const,
      exitCode: 1,
      durationMs: 900,
      counts: { passed: 3, failed: 1, skipped: 0 },
      failing: ['one'],
      link: null,
    };
    expect(setupProofText({ ...proof, verify })).toContain(
      '- ❌ `npm test`: exit code 1, 3 passed, 1 failed, 0.9 s',
    );
    expect(setupProofText({ ...proof, setup: { ...setup, exitCode: null } })).toContain(
      '- ❌ `bash .ship/setup.sh`: did not end in time',
    );
  });
});
