import { describe, expect, it } from 'vitest';
import { passesOf, sandboxCookie, setCookie, withoutShipCookies } from './cookie.ts';
import { guardFrames, requestHeaders, responseHeaders } from './headers.ts';

const OWN = new URL('http://3000-x.ship.localhost:4400/');
const EMBEDDER = 'http://ship.localhost:4400';
const answered = (headers: HeadersInit) =>
  responseHeaders(new Response(null, { headers }), {
    own: OWN,
    embedders: [EMBEDDER],
    isAnotherSite: false,
    inside: new Set(['localhost:3000']),
  });

const to = (location: string) => answered({ location }).get('location');

describe('requestHeaders', () => {
  it('[PX8] strips Ship cookies and keeps others', () => {
    const pass = `ship_port_4400=${'a'.repeat(43)}`;
    expect(withoutShipCookies(`${pass}; theme=dark; __Host-ship=1; ship_4400=x; a=b=c`)).toBe(
      'theme=dark; a=b=c',
    );
    expect(withoutShipCookies(`${pass};__Host-ship-port=y`)).toBeNull();
    expect(withoutShipCookies('shipping=1')).toBe('shipping=1');
    expect(withoutShipCookies(null)).toBeNull();
  });

  it('[PX8] strips headers that select another sandbox or port and hop-by-hop headers, and sets the public host', () => {
    const request = new Request(OWN, {
      headers: {
        'e2b-sandbox-id': 'other',
        'E2B-Sandbox-Port': '49983',
        'e2b-traffic-access-token': 'x',
        'proxy-authorization': 'x',
        'x-forwarded-for': '1.2.3.4',
        'x-hop': 'x',
        connection: 'x-hop, keep-alive',
        'x-kept': '1',
      },
    });
    const headers = requestHeaders(request, {
      'E2b-Sandbox-Id': 'sbx',
      'E2b-Sandbox-Port': '3000',
    });
    expect(Object.fromEntries(headers)).toEqual({
      'e2b-sandbox-id': 'sbx',
      'e2b-sandbox-port': '3000',
      'x-kept': '1',
      'x-forwarded-host': '3000-x.ship.localhost:4400',
      'x-forwarded-proto': 'http',
    });
  });

  it('reads only well-formed passes of the requested host', () => {
    const pass = 'a'.repeat(43);
    const request = new Request('https://3000-x.ship.example/', {
      headers: { cookie: `__Host-ship-port=${pass}; ship_port_443=${pass}; __Host-ship-port=no` },
    });
    expect(passesOf(request)).toEqual([pass]);
    const url = new URL(request.url);
    expect(setCookie(url, pass, { maxAgeMs: 1_000, isAnotherSite: false })).toBe(
      `__Host-ship-port=${pass}; Path=/; HttpOnly; Max-Age=1; SameSite=Lax; Secure`,
    );
    expect(setCookie(url, pass, { maxAgeMs: 1_000, isAnotherSite: true })).toBe(
      `__Host-ship-port=${pass}; Path=/; HttpOnly; Max-Age=1; SameSite=None; Secure; Partitioned`,
    );
  });
});

describe('responseHeaders', () => {
  it('[PX8] restricts cookies to the sandbox’s host, and drops Ship names', () => {
    expect(sandboxCookie('a=1; Path=/; Domain=ship.localhost; HttpOnly', false)).toBe(
      'a=1; Path=/; HttpOnly',
    );
    expect(sandboxCookie('a=1; domain = .ship.localhost', false)).toBe('a=1');
    expect(sandboxCookie('ship_4400=forged', true)).toBeNull();
    expect(sandboxCookie('__Host-ship-port=forged; Secure', false)).toBeNull();
    // A cross-site frame keeps only these.
    expect(sandboxCookie('a=1; samesite=Strict; Secure; Max-Age=9; Domain=x', true)).toBe(
      'a=1; Max-Age=9; SameSite=None; Secure; Partitioned',
    );
    const headers = answered([
      ['set-cookie', 'a=1; Domain=ship.localhost'],
      ['set-cookie', 'ship_port_4400=x'],
      ['set-cookie', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'],
    ]);
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT']);
  });

  it('[PX11] cannot clear the site’s data', () => {
    expect([...answered({ 'Clear-Site-Data': '"*"', 'x-own': '1' }).keys()]).toEqual([
      'content-security-policy',
      'x-own',
    ]);
  });

  it('[PX7] only the web app may frame it, even against its own policy; the rest of the policy stays', () => {
    const headers = answered({
      'x-frame-options': 'DENY',
      'content-security-policy': "default-src 'self'; frame-ancestors 'none', img-src *",
    });
    expect(headers.get('x-frame-options')).toBeNull();
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'self', img-src *, frame-ancestors 'self' http://ship.localhost:4400",
    );
    const bare = new Headers();
    guardFrames(bare, [EMBEDDER]);
    expect(bare.get('content-security-policy')).toBe(`frame-ancestors 'self' ${EMBEDDER}`);
  });

  it('[PX10] a redirect to the internal address leads to the public host', () => {
    expect(to('http://localhost:3000/a?b#c')).toBe('http://3000-x.ship.localhost:4400/a?b#c');
    expect(to('/a')).toBe('/a');
    expect(to('https://example.com/')).toBe('https://example.com/');
    expect(to('http://localhost:4000/')).toBe('http://localhost:4000/');
  });
});
