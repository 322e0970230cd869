import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './steps.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT });
const tests = globSync(['{apps,packages,scripts,bench}/**/*.test.{ts,tsx}', 'e2e/**/*.e2e.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**', '**/dist/**'],
});

describe('[AR2] documentation', () => {
  it.each(documents)('%s links only to what exists', (file) => {
    const targets = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
    const local = targets.filter((target) => !/^(https?:|mailto:|#)/.test(target));
    const broken = local.filter(
      (target) => !existsSync(join(ROOT, dirname(file), target.replace(/#.*$/, ''))),
    );
    expect(broken).toEqual([]);
  });

  it('docs/architecture.md lists every folder of the control plane, and none that does not exist', () => {
    const folders = globSync('apps/control-plane/src/*/', { cwd: ROOT }).map((path) =>
      basename(path),
    );
    const list =
      /^apps\/control-plane .*\n((?:  .*\n)+)/m.exec(read('docs/architecture.md'))?.[1] ?? '';
    const listed = [...list.matchAll(/^  (\w[\w-]*)\/ /gm)].map((match) => match[1]);
    expect(new Set(listed)).toEqual(new Set(folders));
  });

  it('every part of Settings that a text names exists in the web app', () => {
    const sections = read('apps/web/src/features/settings/sections.ts');
    const labels = [...sections.matchAll(/label: '([^']+)'/g)].map((match) => match[1] ?? '');
    const sources = globSync('{apps,packages}/*/src/**/*.{ts,tsx}', { cwd: ROOT });
    // Settings of GitHub.
    const foreign = ['Developer settings', 'Applications'];
    const unknown = [...documents, ...sources].flatMap((file) =>
      [...read(file).matchAll(/Settings →\s+([A-Z][^.,;:()'`*|]*)/g)]
        .map((match) => (match[1] ?? '').replaceAll(/\s+/g, ' '))
        .filter((named) => ![...labels, ...foreign].some((label) => named.startsWith(label)))
        .map((named) => `${file}: ${named}`),
    );
    expect(labels.length).toBeGreaterThan(5);
    expect(unknown).toEqual([]);
  });

  it('every rule of the specification is cited by a test, and every cited rule exists', () => {
    const rules = [...read('docs/spec.md').matchAll(/^- \*\*([A-Z]+\d+)\*\* /gm)].map(
      (match) => match[1] ?? '',
    );
    const cited = tests.flatMap((file) =>
      [...read(file).matchAll(/['"`](?:\[AT-\w+\] )?\[([A-Z]+\d+)\]/g)].map(
        (match) => match[1] ?? '',
      ),
    );
    expect(rules.length).toBe(new Set(rules).size);
    expect([...new Set(cited)].sort()).toEqual(rules.sort());
  });

  it('[EY12] no text recommends npx outside of the clone, where it would run an unrelated package', () => {
    const inClone = new Set([
      'README.md',
      'docs/walkthrough.md',
      'CHANGELOG.md',
      'scripts/docs.test.ts',
    ]);
    const sources = globSync(['apps/*/src/**/*.{ts,tsx}', 'scripts/**/*.{ts,mjs}'], { cwd: ROOT });
    const leading = [...documents, ...sources]
      .filter((file) => !inClone.has(file) && !/^(docs\/adr|scripts\/walkthrough)\//.test(file))
      .flatMap((file) =>
        read(file)
          .split('\n')
          .map((line) => ({ file, line })),
      )
      // The text says that it is in the clone, or is a warning.
      .filter(
        ({ line }) =>
          /npx ship\b/.test(line) && !/\b(inside|cd \/opt\/ship)\b|Never run/.test(line),
      );
    expect(leading).toEqual([]);
  });

  it('all packages have one version', () => {
    const versions = globSync(['package.json', '{apps,packages}/*/package.json'], {
      cwd: ROOT,
    }).map((file) => (JSON.parse(read(file)) as { version: string }).version);
    expect(new Set(versions).size).toBe(1);
  });

  it('AGENTS.md stays short', () => expect(read('AGENTS.md').split('\n').length).toBeLessThan(80));
});
