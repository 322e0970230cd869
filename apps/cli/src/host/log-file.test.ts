import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LogFile } from './log-file.ts';

it('[HO2] a component that logs in a loop cannot fill the disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ship-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = new LogFile(folder, 'part.log');
  const line = 'x'.repeat(100_000);
  for (let i = 0; i < 350; i++) log.write(line);
  const files = readdirSync(folder);
  expect(files.sort()).toEqual(['part.log', 'part.log.1']);
  for (const file of files)
    expect(statSync(join(folder, file)).size).toBeLessThanOrEqual(10 * 1024 * 1024);
});
