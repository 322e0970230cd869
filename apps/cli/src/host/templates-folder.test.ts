import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { templatesFolder } from './templates-folder.ts';

it('[UP17] --templates of `ship up` must contain a template', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ship-templates-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(templatesFolder(undefined)).toBeUndefined();
  expect(() => templatesFolder(folder)).toThrow('has no sandbox template');
  expect(() => templatesFolder(join(folder, 'missing'))).toThrow('has no sandbox template');
  mkdirSync(join(folder, 'mine'));
  writeFileSync(join(folder, 'mine', 'template.json'), '{"description":"mine"}');
  expect(templatesFolder(folder)).toBe(folder);
});
