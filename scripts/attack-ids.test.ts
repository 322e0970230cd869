import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attackFiles, idsInDocument, idsInTitles } from './attack-ids.ts';
import { ROOT } from './steps.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const attacks = attackFiles();
const all = globSync(['{apps,packages}/**/*.test.{ts,tsx}', 'e2e/**/*.e2e.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**', '**/dist/**'],
});

describe('ids of attacks', () => {
  it('each has one test, which `npm run attack` runs', () => {
    const ids = attacks.flatMap(({ file }) => idsInTitles(read(file)));
    const seen = new Set<string>();
    const twice = ids.filter((id) => seen.size === seen.add(id).size);
    expect(twice).toEqual([]);
    expect(all.flatMap((file) => idsInTitles(read(file))).sort()).toEqual(ids.sort());
  });

  it('docs/security.md cites all of them, and no unknown one', () => {
    const ids = attacks.flatMap(({ file }) => idsInTitles(read(file)));
    const cited = new Set(idsInDocument(read('docs/security.md')));
    expect([...cited].sort()).toEqual(ids.sort());
  });

  it('reads titles, lists and ranges', () => {
    expect(idsInTitles("it('[AT-M1A] attack: a gain'")).toEqual(['AT-M1A']);
    expect(idsInTitles('A title is `[AT-ID] attack` or so')).toEqual([]);
    expect(idsInDocument('AT-15, GG2, AT-M2A to AT-M2C; AT-C2b9 to AT-C2b11')).toEqual(
      'AT-15 AT-M2A AT-M2B AT-M2C AT-C2b9 AT-C2b10 AT-C2b11'.split(' '),
    );
    expect(idsInDocument('AT-T09 to AT-T11')).toEqual(['AT-T09', 'AT-T10', 'AT-T11']);
    expect(() => idsInDocument('AT-M2A to AT-C1')).toThrow('no range');
  });
});
