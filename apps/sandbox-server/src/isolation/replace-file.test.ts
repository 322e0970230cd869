import { linkSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { replaceFile } from './replace-file.ts';

describe('a file that is replaced', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ship-replace-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is never read half written, nor changed through a hard link', () => {
    const [path, shared] = [join(folder, 'filter'), join(folder, 'shared')];
    writeFileSync(path, 'old');
    linkSync(path, shared);
    replaceFile(path, Buffer.from('new'));
    expect([path, shared].map((file) => readFileSync(file, 'utf8'))).toEqual(['new', 'old']);
    expect(readdirSync(folder).sort()).toEqual(['filter', 'shared']);
  });
});
