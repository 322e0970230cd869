import { describe, expect, it } from 'vitest';
import { calledAs } from './called-as.ts';

describe('under which name we were called', () => {
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
  ])(
    '[SEC1] %s is read as the platform reads the whole address, however often it is asked',
    (url) => {
      const { protocol, hostname, port, origin } = new URL(url);
      const expected = { protocol, hostname: hostname.toLowerCase(), port, origin };
      expect(calledAs(url)).toEqual(expected);
      calledAs('http://other.example/');
      expect([calledAs(url), calledAs(url)]).toEqual([expected, expected]);
    },
  );
});
