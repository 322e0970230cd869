import { fail } from '@ship/protocol';
import type { HostRules } from './guard.ts';
import { frameSource } from './ports/host-name.ts';

/** The source of the built web app: workerd's disk service, Workers assets, or a test double. */
export interface AssetSource {
  fetch(request: Request | string, init?: RequestInit): Promise<Response>;
}

const CONTENT_TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  webmanifest: 'application/manifest+json',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
};

/** Nothing inline and no other origin: injected markup cannot run, load or send anything. Frames are for sandbox ports. */
const contentSecurityPolicy = (url: URL, hosts: HostRules) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${frameSource(url, hosts)}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const PAGE_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

/** Serves a file of the built web app, or `index.html` for client-side routes. */
export async function serveAsset(
  source: AssetSource,
  request: Request,
  hosts: HostRules,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const extension = /\.([a-z0-9]+)$/.exec(pathname)?.[1];
  if (extension === undefined) return serveFile({ source, hosts }, request, '/index.html');
  if (!Object.hasOwn(CONTENT_TYPES, extension)) return notFound(pathname);
  return serveFile({ source, hosts }, request, pathname);
}

async function serveFile(
  { source, hosts }: { source: AssetSource; hosts: HostRules },
  request: Request,
  pathname: string,
): Promise<Response> {
  const found = await source.fetch(new URL(pathname, request.url).href, { method: request.method });
  if (!found.ok) {
    // workerd keeps the connection to its disk service busy until the body is read or cancelled.
    await found.body?.cancel();
    return notFound(pathname);
  }
  const extension = pathname.slice(pathname.lastIndexOf('.') + 1);
  return new Response(found.body, {
    headers: {
      ...PAGE_HEADERS,
      'content-security-policy': contentSecurityPolicy(new URL(request.url), hosts),
      'content-type': CONTENT_TYPES[extension] ?? 'application/octet-stream',
      // The content of a hashed name never changes; everything else is revalidated.
      'cache-control': pathname.startsWith('/assets/')
        ? 'public, max-age=31536000, immutable'
        : 'no-cache',
    },
  });
}

function notFound(pathname: string): never {
  return fail('not-found', `There is no file ${pathname}.`, 'Open the start page.');
}
