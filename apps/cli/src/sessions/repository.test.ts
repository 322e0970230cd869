import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Failure } from '../failure.ts';
import { repositoryLocation } from './repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'ship-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function refusal(given: string): Failure {
  try {
    repositoryLocation(given);
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('it was not refused');
}

describe('a repository as the user names it', () => {
  // Some verbs take it as an argument, and have no --repo.
  it.each([join(folder, 'nowhere'), folder])('%s: the remedy fits every verb', (given) => {
    const { remedy, exitCode } = refusal(given);
    expect(remedy).not.toContain('--repo');
    expect(remedy).toMatch(/path .* or a URL|git init/);
    expect(exitCode).toBe(2);
  });
});
