import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parsePath, urlBelow } from './path.ts';
import { parseGoPath } from './protocols/go.ts';
import { parseNpmPath } from './protocols/npm.ts';

const npm = (url: string) => parseNpmPath(parsePath(url) ?? []);

describe('paths of the registry gateway', () => {
  it('parses package names as clients write them', () => {
    expect(npm('/left')).toEqual({ kind: 'packument', name: 'left' });
    expect(npm('/@acme%2fleft')).toEqual({ kind: 'packument', name: '@acme/left' });
    expect(npm('/left/latest')).toEqual({ kind: 'manifest', name: 'left', version: 'latest' });
    const tarball = { kind: 'tarball', name: '@acme/left', file: 'left-1.0.0.tgz' };
    expect(npm('/@acme/left/-/left-1.0.0.tgz')).toEqual(tarball);
    expect(npm('/api/npm/npm/@acme/left/-/left-1.0.0.tgz')).toEqual(tarball);
    for (const url of ['/-/whoami', '/_users', '/.hidden', '/a/b/c', '/-/v1/search'])
      expect(npm(url)).toBeUndefined();
    expect(parseGoPath(['example.com', '@v', 'v1.0.0.mod'])).toMatchObject({ isImmutable: true });
    expect(parseGoPath(['example.com', '@v', 'list'])).toMatchObject({ isImmutable: false });
    expect(parseGoPath(['@v', 'list'])).toBeUndefined();
  });

  it('property: no path escapes the base that it is appended to', () => {
    const piece = fc.constantFrom(
      'a',
      '.',
      '..',
      '/',
      '%2e',
      '%2f',
      '%5c',
      '\\',
      ';',
      '?',
      '%',
      '@',
      ':',
      '#',
      '%00',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const segments = parsePath(`/${pieces.join('')}`);
        if (segments === undefined) return;
        const url = urlBelow(new URL('https://registry.test/base/'), segments);
        expect(url.href.startsWith('https://registry.test/base/')).toBe(true);
        expect(decodeURIComponent(url.pathname).split('/')).not.toContain('..');
      }),
      { seed: 3, numRuns: 2000 },
    );
  });
});
