import { describe, expect, it } from 'vitest';
import { languageOfFence, languageOfFile } from './language.ts';

describe('the language of a file', () => {
  it.each([
    ['src/a.ts', 'typescript'],
    ['src/view.tsx', 'typescript'],
    ['index.MJS', 'javascript'],
    ['package.json', 'json'],
    ['a/page.html', 'xml'],
    ['App.vue', 'xml'],
    ['main.py', 'python'],
    ['Cargo.toml', 'ini'],
    ['Cargo.lock', 'ini'],
    ['Dockerfile', 'dockerfile'],
    ['docker/Dockerfile.dev', 'dockerfile'],
    ['Makefile', 'makefile'],
    ['Gemfile', 'ruby'],
    ['.env.local', 'bash'],
    ['.bashrc', 'bash'],
    ['.github/workflows/ci.yml', 'yaml'],
  ])('[WB17] %s is %s', (path, language) => expect(languageOfFile(path)).toBe(language));

  it.each(['LICENSE', 'notes.txt', 'go', 'a.ts/b', 'x.constructor', '', '.', 'a.'])(
    '[WB17] %j stays plain',
    (path) => expect(languageOfFile(path)).toBeNull(),
  );
});

describe('the language of a fenced block', () => {
  it.each([
    ['ts', 'typescript'],
    ['TypeScript', 'typescript'],
    ['ts title="a.ts"', 'typescript'],
    ['{.python}', 'python'],
    ['c++', 'cpp'],
    ['c#', 'csharp'],
    ['console', 'bash'],
    ['html', 'xml'],
    ['', null],
    ['text', null],
    ['mermaid', null],
  ])('[WB17] %j is %s', (info, language) => expect(languageOfFence(info)).toBe(language));
});
