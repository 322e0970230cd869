import { connect as connectTls } from 'node:tls';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';

import { dialUpstream, systemDialer, type Destination, type Dialer } from './dial.ts';
import { authorizationHeader } from './upstream-proxy.ts';

interface Forward {
  socket: Duplex;
  /** Set where the socket leads to the upstream proxy, which takes the request in absolute form. */
  proxyHeaders: Record<string, string> | undefined;
}

/** For plain http. Not by CONNECT: proxies refuse it for port 80, as Ship's own does. */
export async function dialForward(destination: Destination, dial: Dialer): Promise<Forward> {
  const { proxy } = destination;
  if (proxy === undefined)
    return { socket: await dialUpstream(destination, dial), proxyHeaders: undefined };
  const plain = await systemDialer(proxy.host, proxy.port);
  if (!proxy.isSecure) return { socket: plain, proxyHeaders: authorizationHeader(proxy) };
  const secure = connectTls({ socket: plain, servername: proxy.host });
  await once(secure, 'secureConnect');
  return { socket: secure, proxyHeaders: authorizationHeader(proxy) };
}
