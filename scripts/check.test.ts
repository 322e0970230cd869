import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CHECKS } from './check.ts';
import { ROOT } from './steps.ts';

it('the linter reports type errors, by the options of the tsconfig.json beside a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ship-types-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = { extends: join(ROOT, 'tsconfig.base.json'), include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(
    join(folder, 'wrong.ts'),
    'const first: string = ["a"][0];\nconst second: { a?: string } = { a: undefined };\nexport { first, second };\n',
  );
  const { stdout, status } = spawnSync(
    join(ROOT, 'node_modules/.bin/oxlint'),
    ['--type-aware', '--type-check', '.'],
    { cwd: folder, encoding: 'utf8' },
  );
  expect(status).toBe(1);
  expect(stdout).toMatch(/TS2322[^]*TS2375/);
});

it('checks the vocabulary', () => {
  expect(CHECKS.map(({ name }) => name)).toContain('vocabulary');
});

it('checks types one way or the other', () => {
  const options = CHECKS.flatMap(({ args }) => args);
  expect(options.includes('--type-check')).toBe(!options.includes('--incremental'));
});
