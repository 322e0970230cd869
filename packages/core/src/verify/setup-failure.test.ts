import { describe, expect, it } from 'vitest';
import { setupFailureMessage } from './setup-failure.ts';

const failed = { exitCode: 3, isTooLong: false, output: ' no uv\n' };
const message = (over: Partial<typeof failed> | { exitCode: null }, link: string | null = null) =>
  setupFailureMessage({ ...failed, ...over }, link, 900_000);

describe('a setup that failed', () => {
  it('says how it ended, where its output is, and the end of it', () => {
    expect(message({}, '/setup.txt')).toBe(
      'The setup of the repository ended with exit code 3. All of its output: /setup.txt. It ends with: no uv',
    );
    expect(message({ exitCode: null })).toContain('did not end within 15 minutes');
    expect(message({ isTooLong: true })).toContain('printed too much');
    expect(message({ output: 'x'.repeat(9_000) }).length).toBeLessThanOrEqual(2_000);
  });

  it('says so when it printed nothing', () => {
    expect(message({ output: '\n' })).toBe(
      'The setup of the repository ended with exit code 3. It printed nothing.',
    );
  });
});
