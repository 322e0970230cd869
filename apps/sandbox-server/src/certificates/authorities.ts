/** Certificate authorities that the server's own connections trust: the registry gateway's, and those to the machine's proxy. */
import type { Duplex } from 'node:stream';
import { connect, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

export type Authorities = () => SecureContext;

const HANDSHAKE_TIMEOUT_MS = 10_000;

/**
 * Node's authorities, the machine's, and the given ones (PEM texts): companies sign their own
 * registries and proxies. Loaded on first use, because it takes tens of milliseconds.
 */
export function trustedAuthorities(given: readonly string[]): Authorities {
  let context: SecureContext | undefined;
  return () =>
    (context ??= createSecureContext({
      ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...given])],
    }));
}

/** TLS over an existing connection, to a server whose certificate is for `host`. Destroys the connection on failure. */
export function secure(socket: Duplex, host: string, authorities: Authorities): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    // No server name for addresses (RFC 6066): the certificate is then checked against `host`.
    const isAddress = host.includes(':') || host.startsWith('[') || /^[0-9.]+$/.test(host);
    const tls = connect({
      socket,
      secureContext: authorities(),
      host,
      ...(isAddress ? {} : { servername: host }),
    });
    const timer = setTimeout(() => tls.destroy(new Error('no TLS answer')), HANDSHAKE_TIMEOUT_MS);
    tls.once('secureConnect', () => {
      clearTimeout(timer);
      tls.off('error', reject);
      resolve(tls);
    });
    tls.once('error', (error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    });
  });
}
