import { fail } from '@ship/protocol';

/**
 * All sandboxes' pages are one site to a browser, so each one's cookies go along with what the others ask for. A page may
 * be navigated to from elsewhere, and that is all: data, sockets and forms are for the port's own page only.
 */
export function refuseCrossOrigin(request: Request): void {
  const { origin: own } = new URL(request.url);
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (origin !== null && origin !== own) refuse();
  if (isUpgrade(request)) {
    if (origin !== own) refuse();
    return;
  }
  if (site === 'same-origin' || site === 'none') return;
  if (site === null) {
    // A browser that does not say where a change comes from cannot be told from a forged one.
    if (!isRead && origin !== own) refuse();
    return;
  }
  if (!isRead || request.headers.get('sec-fetch-mode') !== 'navigate') refuse();
}

export const isUpgrade = (request: Request): boolean =>
  request.headers.get('upgrade')?.toLowerCase() === 'websocket';

function refuse(): never {
  return fail(
    'origin-refused',
    'A page of another origin may not use this port.',
    'Open the port from its session in Ship.',
  );
}
