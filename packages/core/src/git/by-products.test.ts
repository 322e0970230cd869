import { describe, expect, it } from 'vitest';
import { byProducts } from './by-products.ts';

const files = (...paths: string[]) => paths.map((path) => ({ path, status: 'other' as const }));

describe('by-products of tools', () => {
  it('[GW27] a lock file counts only with its manifest, or when the work is about it', () => {
    expect(byProducts(files('a.js', 'web/package-lock.json'), 'Fixed a.')).toEqual([
      'web/package-lock.json',
    ]);
    expect(byProducts(files('a.js', 'package-lock.json', 'package.json'), 'Fixed a.')).toEqual([]);
    expect(byProducts(files('a.js', 'yarn.lock'), 'Upgraded zod.')).toEqual([]);
    expect(byProducts(files('a.js', 'go.sum'), 'Tidied go.sum.')).toEqual([]);
    expect(byProducts(files('package-lock.json'), null)).toEqual([]);
    expect(byProducts(files('a.js', 'lock.json'), null)).toEqual([]);
    const removed = [...files('a.js'), { path: 'yarn.lock', status: 'deleted' as const }];
    expect(byProducts(removed, null)).toEqual([]);
  });
});
