import { describe, expect, it } from 'vitest';
import { framingPage, readAddress } from './address.ts';

const now = { port: 3000, path: '/old' };

describe('the address bar of the preview', () => {
  it.each([
    ['/a?b=1#c', { port: 3000, path: '/a?b=1#c' }],
    ['', { port: 3000, path: '/' }],
    ['?q=1', { port: 3000, path: '/?q=1' }],
    [':8080', { port: 8080, path: '/' }],
    ['8080', { port: 8080, path: '/' }],
    [':8080/x', { port: 8080, path: '/x' }],
    ['http://localhost:5173/app', { port: 5173, path: '/app' }],
    ['127.0.0.1:5173', { port: 5173, path: '/' }],
    ['localhost', { port: 3000, path: '/' }],
  ])('%j', (typed, expected) => {
    expect(readAddress(typed, now)).toEqual(expected);
  });

  it.each([':0', ':65536', '//evil.example', '/\\evil', 'https://example.com', 'a b', '/a b'])(
    'refuses %j',
    (typed) => {
      expect(readAddress(typed, now)).toBeNull();
    },
  );

  it('returns the same page under the host name that can frame ports', () => {
    const page = 'http://127.0.0.1:4400/sessions/x?pane=preview';
    expect(framingPage('http://ship.localhost:4400', page)).toBe(
      'http://ship.localhost:4400/sessions/x?pane=preview',
    );
  });
});
