import type { Duplex } from 'node:stream';

import type { Destination, Dialer } from './dial.ts';
import { authorizationHeader, dialProxy, dialUpstream } from './dial-upstream.ts';

interface Forward {
  socket: Duplex;
  /** Set when the socket leads to the upstream proxy, which expects the request in absolute form. */
  proxyHeaders: Record<string, string> | undefined;
}

/** For plain http. Without CONNECT: proxies refuse it for port 80, as Ship's own does. */
export async function dialForward(destination: Destination, dial: Dialer): Promise<Forward> {
  const { proxy } = destination;
  return proxy === undefined
    ? { socket: await dialUpstream(destination, dial), proxyHeaders: undefined }
    : { socket: await dialProxy(proxy), proxyHeaders: authorizationHeader(proxy) };
}
