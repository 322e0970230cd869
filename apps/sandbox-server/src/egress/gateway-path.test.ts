import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { gatewayPath } from './gateway-path.ts';

describe('gateway paths', () => {
  it.each([
    ['/v1/chat/completions', '/gateway/models/v1/chat/completions'],
    ['/gateway/models/v1/models?limit=2', '/gateway/models/v1/models?limit=2'],
    ['/gateway/models', '/gateway/models'],
    ['/gateway/modelsX', '/gateway/models/gateway/modelsX'],
    ['/gateway/git/x', '/gateway/models/gateway/git/x'],
    ['/api/sessions', '/gateway/models/api/sessions'],
    ['/a%20b?q=../..', '/gateway/models/a%20b?q=../..'],
  ])('%s becomes %s', (url, path) => {
    expect(gatewayPath('/gateway/models', url)).toEqual({ path });
  });

  it.each([
    '/../api',
    '/gateway/models/../../api',
    '/./x',
    '/a/..',
    '/..;/api',
    '/%2e%2e/api',
    '/%2E./api',
    '/a%2fb',
    '/a%5cb',
    '/a\\..\\b',
    '//evil.test/x',
    '/a//b',
    '/%252e%252e/x',
    '/%zz',
    '/a%',
    'http://evil.test/',
    'evil.test:80',
    '*',
    '',
    '/a b',
    '/a\r\nHost: x',
    '/a\u0000',
    '/a#b',
    '/ü',
    `/${'a'.repeat(9000)}`,
  ])('refuses %j', (url) => {
    expect(gatewayPath('/gateway/models', url)).toHaveProperty('refused');
  });

  it('property: a URL parser keeps the result under the prefix', () => {
    const piece = fc.constantFrom(
      'a',
      '.',
      '..',
      '/',
      '%2e',
      '%2f',
      '\\',
      ';',
      '?',
      '%',
      'gateway',
      'models',
      '//',
      '@',
      ':',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const result = gatewayPath('/gateway/models', `/${pieces.join('')}`);
        if ('refused' in result) return;
        const { pathname, host } = new URL(result.path, 'http://control-plane.test');
        expect(host).toBe('control-plane.test');
        expect(pathname === '/gateway/models' || pathname.startsWith('/gateway/models/')).toBe(
          true,
        );
        expect(pathname.split('/')).not.toContain('..');
      }),
      { seed: 3, numRuns: 2000 },
    );
  });
});
