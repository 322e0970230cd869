import { describe, expect, it } from 'vitest';
import { requestOriginOf } from './request-origin.ts';

describe('requestOriginOf', () => {
  it.each([
    'http://ship.localhost:4400/api/sessions?q=a',
    'http://ship.localhost:4400/',
    'http://ship.localhost:4401/',
    'https://Ship.Example/x',
    'http://[::1]:4400/x',
    'http://evil.example?@ship.localhost/x',
    'http://evil.example#@ship.localhost/x',
    'http://evil.example\\@ship.localhost/x',
    'http://ship.localhost@evil.example/x',
    'http://ship.localhost:4400',
  ])('[SEC1] %s is parsed like the whole URL, cached or not', (url) => {
    const { protocol, hostname, port, origin } = new URL(url);
    const expected = { protocol, hostname: hostname.toLowerCase(), port, origin };
    expect(requestOriginOf(url)).toEqual(expected);
    requestOriginOf('http://other.example/');
    expect([requestOriginOf(url), requestOriginOf(url)]).toEqual([expected, expected]);
  });
});
