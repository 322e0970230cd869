import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isPublic, parseCidr, parseIp } from './ip.ts';
import { parseAbsoluteUrl, parseAuthority, parseHost } from './target.ts';

describe('targets', () => {
  it.each([
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '0x7f.1',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '',
    '.',
    'a..b',
    '-a.test',
    'a.test-',
    'exa mple.test',
    'ex%61mple.test',
    'user@host.test',
    'host.test\r\n',
    'ﬁ.test',
    '１２７.0.0.1',
    '[127.0.0.1]',
    '[::1%lo]',
    '::1',
    'a'.repeat(64),
    `${'a.'.repeat(130)}test`,
  ])('refuses the host %j', (host) => {
    expect(parseHost(host)).toBeUndefined();
  });

  it('normalizes each host to one form', () => {
    expect(parseHost('GitHub.COM.')).toEqual({ host: 'github.com', ip: undefined });
    expect(parseHost('[::FFFF:10.0.0.1]')?.ip).toEqual(parseIp('::ffff:a00:1'));
    expect(parseAuthority('example.test:443')).toMatchObject({ kind: 'name', port: 443 });
  });

  it.each([
    'example.test',
    'example.test:',
    'example.test:0',
    'example.test:65536',
    ':80',
    'a:1:80',
    'example.test:+80',
  ])('refuses the authority %j', (authority) => {
    expect(parseAuthority(authority)).toBeUndefined();
  });

  it('parses absolute URLs and refuses everything else', () => {
    expect(parseAbsoluteUrl('http://example.test')).toMatchObject({
      path: '/',
      target: { port: 80 },
    });
    expect(parseAbsoluteUrl('http://example.test:8080?q=1')).toMatchObject({ path: '/?q=1' });
    expect(parseAbsoluteUrl('HTTP://[2001:4860::8888]/x')).toMatchObject({
      target: { kind: 'address' },
    });
    for (const url of [
      '/path',
      'https://example.test/',
      'http://u:p@example.test/',
      'http://a@b/',
      'http:///',
      'ftp://a/',
      'http://a#b',
    ]) {
      expect([url, parseAbsoluteUrl(url)]).toEqual([url, undefined]);
    }
  });

  it('property: no parser throws, and an address in Node’s sense is never taken for a name', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseAuthority(text);
        parseAbsoluteUrl(`http://${text}`);
        parseCidr(text);
      }),
      { seed: 3, numRuns: 1000 },
    );
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV4Extended()), (text) => {
        const parsed = parseHost(text);
        expect(parsed === undefined || parsed.ip !== undefined).toBe(true);
      }),
      { seed: 3, numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const canonical = parseIp(text);
        expect(canonical).toBeDefined();
        if (canonical !== undefined) isPublic(canonical);
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});
