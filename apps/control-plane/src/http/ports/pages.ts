import { type ShipError, httpStatusOf } from '@ship/protocol';
import { guardFrames } from './headers.ts';

const RETRY_SECONDS = 2;

interface ErrorPage {
  title: string;
  text: string;
  status: number;
  /** Transient: the page reloads automatically. */
  isRetried: boolean;
}

export const nothingListens = (port: number): ErrorPage => ({
  title: `Nothing listens on port ${port} yet`,
  text: 'Start your program in the sandbox, or ask the agent to. This page reloads automatically.',
  status: 502,
  isRetried: true,
});

export const sandboxUnreachable: ErrorPage = {
  title: 'The sandbox does not respond',
  text: 'It may be waking up, or it was ended. This page reloads automatically.',
  status: 503,
  isRetried: true,
};

const TITLES: Partial<Record<ShipError['code'], string>> = {
  'not-found': 'Nothing found here',
  forbidden: 'This link no longer works',
  unauthenticated: 'Open this from Ship',
  'origin-refused': 'Request from another page refused',
  'no-sandbox': 'The sandbox is not running',
};

export const errorPageOf = ({ code, category, message, remedy }: ShipError): ErrorPage => ({
  title: TITLES[code] ?? 'Something went wrong',
  text: `${message} ${remedy}`,
  status: code === 'no-sandbox' ? 503 : httpStatusOf(code),
  isRetried: code === 'no-sandbox' || category === 'transient',
});

/** An HTML page for browsers, a line of text for programs. No scripts and no text of the sandbox. */
export function respondWithPage(
  request: Request,
  page: ErrorPage,
  embedders: readonly string[],
): Response {
  const headers = new Headers({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
  });
  guardFrames(headers, embedders);
  if (page.isRetried) headers.set('retry-after', String(RETRY_SECONDS));
  const wantsHtml = request.headers.get('accept')?.includes('text/html') === true;
  headers.set('content-type', `text/${wantsHtml ? 'html' : 'plain'}; charset=utf-8`);
  const body = wantsHtml ? html(page) : `${page.title}. ${page.text}\n`;
  return new Response(body, { status: page.status, headers });
}

function html({ title, text, isRetried }: ErrorPage): string {
  const refresh = isRetried ? `<meta http-equiv="refresh" content="${RETRY_SECONDS}">` : '';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">${refresh}
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<style>body{font:15px/1.5 system-ui,sans-serif;display:grid;place-content:center;min-height:90vh;margin:0 24px;text-align:center}
h1{font-size:18px;margin:0 0 4px}p{margin:0;max-width:46ch;opacity:.75}</style></head>
<body><main><h1>${escape(title)}</h1><p>${escape(text)}</p></main></body></html>`;
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
