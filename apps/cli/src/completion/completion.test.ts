import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';
import { type Shell, completionScript } from './scripts.ts';
import { vocabularyOf } from './vocabulary.ts';

const verbs = vocabularyOf(await createProgram());
const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

function complete(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const script = `${completionScript('bash', verbs)}
COMP_WORDS=(ship ${quoted}); COMP_CWORD=${words.length}; _ship; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe('completion', () => {
  it('[CL4] completes verbs, sub-verbs and options', () => {
    expect(complete('ru')).toEqual(['run']);
    expect(complete('forge', 's')).toEqual(['serve']);
    expect(complete('completion', '')).toContain('fish');
    expect(complete('run', '--b')).toEqual(['--base', '--branch', '--budget']);
    expect(complete('run', '--repo', '/us')).toContain('/usr');
    expect(complete('nonsense', '-')).toEqual([]);
  });

  it('[CL4] knows every verb, in every shell', () => {
    for (const shell of ['bash', 'zsh', 'fish'] as Shell[]) {
      const script = completionScript(shell, verbs);
      for (const { name } of verbs) expect(script).toMatch(new RegExp(`\\b${name}\\b`));
    }
  });

  it.skipIf(!has('zsh'))('[CL4] zsh reads its script', () => {
    execFileSync('zsh', ['-n'], { input: completionScript('zsh', verbs) });
  });

  it.skipIf(!has('fish'))('[CL4] fish reads its script', () => {
    execFileSync('fish', ['--no-execute'], { input: completionScript('fish', verbs) });
  });
});
