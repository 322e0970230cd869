import { fail } from '@ship/protocol';

/**
 * All sandbox pages are the same site to a browser, so it sends their cookies with each other's requests. Other pages may only
 * navigate to a port; data, sockets and forms are for the port's own page.
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
    // Without Sec-Fetch-Site a change needs our origin, or it could be forged.
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
