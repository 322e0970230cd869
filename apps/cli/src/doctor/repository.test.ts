import { type EnvironmentCheck, createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { checkText } from './repository.ts';

const check: EnvironmentCheck = {
  checkId: createId('ses'),
  repository: '/code/app',
  status: 'failed',
  startedAt: 1,
  setup: null,
  plan: {
    install: [{ manager: 'npm', command: 'npm ci', folder: '.', source: 'package-lock.json' }],
    verify: { command: 'npm test', source: 'package.json' },
    toolchains: [
      {
        tool: 'Rust',
        wanted: '1.80',
        source: 'rust-toolchain',
        found: null,
        status: 'missing',
        advice: 'Install Rust 1.80.',
      },
    ],
    notes: [],
  },
  steps: [
    { name: 'clone', command: null, status: 'ok', durationMs: 1_200, detail: 'main' },
    { name: 'verify', command: 'npm test', status: 'failed', durationMs: 90, detail: '1 failed' },
  ],
  output: 'not ok 1',
  error: null,
};

describe('check of a repository', () => {
  it('[EN9] the table says what was detected, applied and missing, and how long each step took', () => {
    const text = checkText(check);
    expect(text).toMatch(/^detected {2}package-lock\.json +npm ci$/m);
    expect(text).toMatch(/^missing {3}Rust 1\.80 \(rust-toolchain\) +Install Rust 1\.80\.$/m);
    expect(text).toMatch(/^✓ {2}clone \(1\.2 s\) +main$/m);
    expect(text).toMatch(/^✗ {2}verify \(.*\) +npm test → 1 failed$/m);
    expect(text).toContain('not ok 1');
    expect(text).toContain('not ready');
    expect(text).toContain(`ship setup --repo ${check.repository} lets an agent write a setup`);
    // Nothing is detected when the clone failed.
    expect(checkText({ ...check, plan: null })).not.toContain('ship setup');
    const passed = checkText({ ...check, status: 'passed' });
    expect(passed).toContain('The repository is ready.');
    expect(passed).not.toContain('not ok 1');
  });
});
